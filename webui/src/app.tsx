/** The whole page, once the sentences are loaded. */

import { Shown } from "./screens";
import { Opening } from "./screens/opening";
import { wordsReady } from "./store/words";

export function App() {
  return wordsReady() ? <Shown /> : <Opening />;
}
