/** What was just done, with its undo, for eight seconds; and why something was refused. */
import { useEffect, useState } from "preact/hooks";
import { Sign } from "../art/sign";
import { undo as takeBack } from "../store/acts";
import { done, refusal } from "../store/outbox";
import { view } from "../store/table";
import { say, t } from "../words";

const SHOWN_MS = 8_000;

/** True until `SHOWN_MS` after `at`. */
function useFresh(at: number | undefined): boolean {
  const [, turn] = useState(0);
  const left = at === undefined ? 0 : at + SHOWN_MS - Date.now();
  useEffect(() => {
    if (left <= 0) return undefined;
    const clock = window.setTimeout(() => turn((n) => n + 1), left + 20);
    return () => window.clearTimeout(clock);
  }, [at]);
  return left > 0;
}

/** Lies over the tabs, so that it covers and moves nothing a thumb aims at. */
export function Toast() {
  const undo = view.value?.undo ?? null;
  const refused = refusal.value;
  const fresh = useFresh(done.value?.at);
  const loud = useFresh(refused?.at);
  if (refused !== null && loud) {
    return (
      <div class="toast refused" role="alert">
        <span class="toast-words">{say(refused.words)}</span>
        <button type="button" class="act toast-act" onClick={() => (refusal.value = null)}>
          {t("toast.ok")}
        </button>
      </div>
    );
  }
  if (!fresh || undo === null || done.value === null || view.value?.rev !== done.value.rev) return null;
  return (
    <div class="toast" role="status">
      <span class="toast-words">{say(undo.words)}</span>
      <button
        type="button"
        class="act toast-act"
        onClick={() => {
          done.value = null;
          takeBack(undo.seq);
        }}
      >
        <Sign name="undo" size={20} /> {t("toast.undo")}
      </button>
      <button type="button" class="act toast-close" aria-label={t("toast.close")} onClick={() => (done.value = null)}>
        <Sign name="cross" size={20} />
      </button>
    </div>
  );
}
