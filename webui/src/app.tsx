/** The whole page: what this phone shows, once there are words to say it in. */

import { Shown } from "./screens";
import { Opening } from "./screens/opening";
import { wordsReady } from "./store/words";

export function App() {
  return wordsReady() ? <Shown /> : <Opening />;
}
