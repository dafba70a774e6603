/** The fuse on a television: what the tray does in a moment. */
import { useEffect, useState } from "preact/hooks";
import { t } from "../../store/words";
import type { Fuse } from "../../wire";

const TICK_MS = 200;

export function FuseLine({ fuse }: { readonly fuse: Fuse }) {
  const [left, setLeft] = useState(fuse.left_s);
  useEffect(() => {
    const until = Date.now() + fuse.left_s * 1000;
    const clock = window.setInterval(() => setLeft((until - Date.now()) / 1000), TICK_MS);
    return () => window.clearInterval(clock);
  }, [fuse.id]);
  const seconds = Math.max(1, Math.ceil(left));
  return (
    <p class="dice-title tv-fuse">
      <b>{t(`fuse.${fuse.kind}`, { seconds })}</b> · {t("fuse.stop_tv")}
    </p>
  );
}
