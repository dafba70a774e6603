/** The fuse as phones show it: in place of the primary button, and above the dock of every other screen. */
import { useState } from "preact/hooks";
import { Sign } from "../../art/signs/sign";
import { useSeconds } from "../../store/seconds";
import { burning } from "../../store/turn/fuse";
import { t } from "../../store/words";
import type { Fuse } from "../../wire";

function Words({ fuse }: { readonly fuse: Fuse }) {
  const seconds = useSeconds(fuse);
  return (
    <>
      <span class="fuse-words" aria-hidden="true">
        {t(`fuse.${fuse.kind}`, { seconds, seat: fuse.seat })}
      </span>
      <span class="sr-only" role="alert">
        {t(`fuse.${fuse.kind}`, { seconds: Math.ceil(fuse.seconds), seat: fuse.seat })}
      </span>
      <small>{t("fuse.stop")}</small>
    </>
  );
}

/** What is left of the fuse, shrinking from what it was when it was first shown: a later view must not move it twice. */
function Rest({ fuse }: { readonly fuse: Fuse }) {
  const [burnt] = useState(fuse.left_s - fuse.seconds);
  return (
    <span
      class="fuse-rest"
      style={{ animationDuration: `${fuse.seconds}s`, animationDelay: `${burnt}s` }}
    />
  );
}

/** In place of the primary button: touching it stops the fuse, as touching anything does. */
export function FuseButton({ fuse }: { readonly fuse: Fuse }) {
  return (
    <button key={fuse.id} type="button" class="primary fuse">
      <Rest fuse={fuse} />
      <Words fuse={fuse} />
    </button>
  );
}

/** Above the dock of screens that have no button for it. */
export function FuseStrip() {
  const fuse = burning.value;
  if (fuse === null) return null;
  return (
    <div key={fuse.id} class="fuse-strip row gap-10 rounded color-ink">
      <Rest fuse={fuse} />
      <Sign name="clock" size={24} />
      <span class="fuse-lines">
        <Words fuse={fuse} />
      </span>
    </div>
  );
}
