/** The log, newest row nearest; Undo and Redo name what they change. */
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { Sign } from "../../art";
import { openForgotten } from "../../store/back/forgotten";
import { openTime } from "../../store/back/time";
import { useLog } from "../../store/table/log";
import { game, view, you } from "../../store/table/table";
import { redo, takeBack } from "../../store/turn/acts";
import { explained, t } from "../../store/words";
import { Headline, Screen } from "../../ui/frame/screen";
import { mayUndo, named } from "../../ui/frame/toast";
import { Act } from "../../ui/parts/kit";
import { LogRows } from "../../ui/parts/log-rows";

export function LogScreen() {
  const now = view.value;
  const { rows, whole } = useLog();
  const last = now?.undo ?? null;
  const undoable = mayUndo(last) ? last : null;
  const redoable = now?.redo ?? null;
  const watcher = you.value.role === "spectator";
  const end = useStayAtTheEnd(rows.length);
  return (
    <Screen
      name="log"
      status={t("title")}
      news={false}
      head={
        <>
          <Headline text={t("head.log")} lines={1} most={50} />
          {rows.length === 0 && <p class="muted">{t("log.empty")}</p>}
          {!whole && <p class="muted">{t("log.older")}</p>}
          <div class="log-rows">
            <LogRows rows={rows} seats={game.value?.seats ?? []} />
            <div ref={end} />
          </div>
        </>
      }
      dock={
        watcher ? (
          <Back />
        ) : (
          <div class="log-dock">
            <Back />
            <Act disabled={redoable === null} onTap={() => redoable && redo(redoable.seq)}>
              <Sign name="redo" size={22} />{" "}
              {redoable === null ? t("redo") : t("redo.named", { act: named(redoable) })}
            </Act>
            <Act
              class="wide-act"
              disabled={undoable === null}
              onTap={() => undoable && takeBack(undoable)}
            >
              <Sign name="undo" size={24} />{" "}
              {undoable === null ? t("undo.none") : t("undo.named", { act: explained(undoable) })}
            </Act>
          </div>
        )
      }
    />
  );
}

/** The two ways to look back. */
function Back() {
  return (
    <div class="two">
      <Act sign="clock" size={22} text={t("time.open")} onTap={() => void openTime()} />
      <Act sign="question" size={22} text={t("forgotten.head")} onTap={openForgotten} />
    </div>
  );
}

/** How far somebody may scroll up and still follow new rows. */
const NEAR = 80;

/** What scrolls the rows: it depends on the size of the text and on how the phone is held. */
function scrollerOf(one: Element | null): Element | null {
  for (let box = one?.parentElement ?? null; box !== null; box = box.parentElement)
    if (/auto|scroll/.test(getComputedStyle(box).overflowY)) return box;
  return null;
}

/** Scroll to the newest row, unless somebody has scrolled up to read. */
function useStayAtTheEnd(count: number): RefObject<HTMLDivElement | null> {
  const end = useRef<HTMLDivElement>(null);
  const reading = useRef(false);
  useEffect(() => {
    const scroll = scrollerOf(end.current);
    const look = () => {
      if (scroll)
        reading.current = scroll.scrollTop + scroll.clientHeight < scroll.scrollHeight - NEAR;
    };
    scroll?.addEventListener("scroll", look, { passive: true });
    return () => scroll?.removeEventListener("scroll", look);
  }, []);
  useLayoutEffect(() => {
    const scroll = scrollerOf(end.current);
    if (!reading.current) scroll?.scrollTo({ top: scroll.scrollHeight });
  }, [count]);
  return end;
}
