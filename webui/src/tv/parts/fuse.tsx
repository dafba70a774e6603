/** The fuse on a television: what the tray does in a moment. */
import { useSeconds } from "../../store/seconds";
import { t } from "../../store/words";
import type { Fuse } from "../../wire";

export function FuseLine({ fuse }: { readonly fuse: Fuse }) {
  const seconds = useSeconds(fuse);
  return (
    <p class="dice-title tv-fuse">
      <b>{t(`fuse.${fuse.kind}`, { seconds })}</b> · {t("fuse.stop_tv")}
    </p>
  );
}
