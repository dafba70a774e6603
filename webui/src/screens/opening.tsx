/** The first screen, before the service has responded: the frame alone, so that nothing jumps. */
import { t, wordsReady } from "../store/words";
import { Screen } from "../ui/frame/screen";

export function Opening() {
  return (
    <Screen
      name="opening"
      head={
        <h1 id="headline" class="headline">
          {wordsReady() ? t("title") : "Monster Table"}
        </h1>
      }
      tabs={false}
    />
  );
}
