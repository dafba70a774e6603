/** Nothing heard yet: the frame stands, so that nothing jumps when the table answers. */
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
