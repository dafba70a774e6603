/** Toasts: the last command with Undo, for eight seconds, or why something was refused. */
import { useEffect, useState } from "preact/hooks";
import { Sign } from "../../art/signs/sign";
import { tab } from "../../store/phone/route";
import { type Done, dismiss, done, refusal } from "../../store/server/outbox";
import { view, you } from "../../store/table/table";
import { redo, takeBack } from "../../store/turn/acts";
import { type Burnt, burnt, forgetBurnt } from "../../store/turn/fuse";
import { explained, say, t } from "../../store/words";
import type { Undoable } from "../../wire";

const SHOWN_MS = 8_000;

/** Return true until `SHOWN_MS` after `at`. */
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

type Last = Done & { readonly tray: boolean };

/** The newer one of this phone's last command and the tray's. */
function newest(own: Done | null, tray: Burnt | null): Last | null {
  if (tray !== null && (own === null || own.at < tray.at))
    return { ...tray, command: "", setting: false, undid: false, proposal: null, tray: true };
  return own === null ? null : { ...own, tray: false };
}

function close(): void {
  dismiss();
  forgetBurnt();
}

/**
 * The toast, at the end of a screen's head or on the edge of a sheet: nothing to tap is there, so it covers
 * neither tabs nor buttons, and moves nothing. It scrolls with the head.
 */
export function Toast({ onSheet = false }: { readonly onSheet?: boolean }) {
  const refused = refusal.value;
  const last = newest(done.value, burnt.value);
  const fresh = useFresh(last?.at);
  const loud = useFresh(refused?.at);
  if (refused !== null && loud) {
    return (
      <div class="toast refused" role="alert">
        <span class="toast-words">{say(refused.words)}</span>
        <button type="button" class="act toast-act" onClick={dismiss}>
          {t("toast.ok")}
        </button>
      </div>
    );
  }
  const now = view.value;
  if (!fresh || last === null || now === null || now.rev !== last.rev || last.setting) return null;
  // The log has Undo and Redo of its own.
  if (tab.value === "log" && !onSheet) return null;
  // After an undo the newest command is an older one: offering to undo it would go too far.
  if (last.undid)
    return (
      now.redo && (
        <Offered
          text={t("toast.undone", { act: named(now.redo) })}
          way="redo"
          onTap={redo}
          seq={now.redo.seq}
        />
      )
    );
  return (
    mayUndo(now.undo) && (
      <Offered
        text={last.tray ? t("toast.tray", { act: explained(now.undo) }) : explained(now.undo)}
        misread={now.tray.misread === last.proposal ? last.proposal : null}
        way="undo"
        onTap={() => now.undo && takeBack(now.undo)}
        seq={now.undo.seq}
      />
    )
  );
}

/** The act by name, with how many come with it. */
export function named(act: Undoable): string {
  const name = explained(act);
  return act.more === 0 ? name : t("act.and_more", { act: name, count: act.more });
}

/** Whether this phone may undo it: only the host undoes the start. */
export function mayUndo(act: Undoable | null): act is Undoable {
  return act !== null && (!act.host_only || you.value.role === "host");
}

interface OfferedProps {
  readonly text: string;
  readonly way: "undo" | "redo";
  readonly seq: number;
  /** The proposal that was applied with other faces than were read. */
  readonly misread?: string | null;
  readonly onTap: (seq: number) => void;
}

function Offered({ text, way, seq, misread = null, onTap }: OfferedProps) {
  return (
    <div class="toast" role="status">
      <span class="toast-words">{text}</span>
      {misread !== null && (
        <button
          type="button"
          class="act toast-act"
          onClick={() => {
            close();
            // Not with the first page: it is seldom needed.
            void import("../../store/report/misread").then((one) => one.openMisread(misread));
          }}
        >
          {t("misread.send")}
        </button>
      )}
      <button
        type="button"
        class="act toast-act"
        onClick={() => {
          close();
          onTap(seq);
        }}
      >
        <Sign name={way} size={20} /> {t(`toast.${way}`)}
      </button>
      <button type="button" class="act toast-close" aria-label={t("toast.close")} onClick={close}>
        <Sign name="cross" size={20} />
      </button>
    </div>
  );
}
