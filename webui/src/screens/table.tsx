/** The table, the log, what is left to do, a clause, the final score. */
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { MonsterTile, Sign } from "../art";
import { api } from "../store/api";
import { leaveScore, setUpAgain } from "../store/games";
import { openTime, useLog } from "../store/looks";
import { prefs } from "../store/prefs";
import { openExport, openStory } from "../store/records";
import { openTasks, quietKinds, tasks, tick, ticked, wakeReminders } from "../store/reminders";
import { closeSheet, openSheet } from "../store/route";
import { game, names, seatOf, view, you } from "../store/table";
import { acting, askedSeat, mayAnswer, redo, takeBack, undo } from "../store/turn";
import { cardName, cardText, clausesOf, explained, monsterName, say, t } from "../store/words";
import { Headline, mayUndo, named, Screen, turnText } from "../ui/frame";
import { Act, Close, Heading, IdSign, Primary } from "../ui/kit";
import { Gone, SheetFrame } from "../ui/strips";
import {
  BoardMap,
  CardShelf,
  Final,
  FinalHead,
  hasPoster,
  LogRows,
  NumberTiles,
  PlayerRow,
} from "../ui/table";
import type { Clause, GameView, Hand } from "../wire";
import { StoryBrief } from "./story";

export function TableScreen() {
  const now = game.value;
  if (now === null) return null;
  const goals = now.seats.flatMap((seat) => seat.goals);
  return (
    <Screen
      name="table"
      head={
        <>
          <h1 class="sr-only">{t("tab.table")}</h1>
          <BoardMap />
        </>
      }
    >
      {now.seats.map((seat) => (
        <PlayerRow key={seat.seat} seat={seat} />
      ))}
      <p class="muted small text-center">
        {goals.map((goal) => (
          <span key={goal}>
            <IdSign id={goal} size={18} /> {t(`goal.${goal}`)} ·{" "}
          </span>
        ))}
        {t("table.tap_row")}
      </p>
      <Areas />
      <Shop />
    </Screen>
  );
}

/** Boroughs with their stacks and Units; a game without tiles has none to open. */
function Areas() {
  const areas = game.value?.areas.filter((area) => area.stacks.length > 0) ?? [];
  return (
    <div class="two">
      {areas.map((area) => (
        <Act key={area.id} onTap={() => openSheet({ kind: "place", area: area.id })}>
          <span>{t(`place.${area.id}`)}</span>
          {area.units.length > 0 && (
            <span class="muted">
              <Sign name="infantry" size={16} title={t("units", { count: area.units.length })} />{" "}
              {area.units.length}
            </span>
          )}
        </Act>
      ))}
    </div>
  );
}

function Shop() {
  const cards = game.value?.shop.cards ?? [];
  return (
    <section class="panel table-shop col gap-8">
      <h2 class="sheet-head">{t("table.shop")}</h2>
      {cards.map(
        ({ card, name, base_cost }) =>
          name !== null && (
            <div key={card} class="row-between gap-12">
              <span>
                <b>{cardName(name)}</b> <small class="block muted">{cardText(name)}</small>
              </span>
              <span class="rigid">
                <Sign name="energy" size={16} meaning /> <b>{base_cost}</b>
              </span>
            </div>
          ),
      )}
    </section>
  );
}

export function PlayerSheet({ seat: index }: { readonly seat: number }) {
  const seat = seatOf(index);
  if (seat === null) return <Gone />;
  const question = game.value?.question ?? null;
  const asked = question !== null && askedSeat(question) === index && acting.value !== index;
  return (
    <SheetFrame
      name="player"
      label={seat.player}
      tone="info"
      picture={<MonsterTile monster={seat.monster} size={72} out={!seat.alive} />}
      about={
        <p class="muted">
          {monsterName(seat)} {seat.place !== null && `· ${t(`place.${seat.place}`)}`}
        </p>
      }
    >
      <NumberTiles seat={seat} />
      <CardShelf seat={seat} />
      {asked && mayAnswer(question) && (
        <Act
          class="answer-for"
          text={t("waiting.answer", { seat: index })}
          onTap={() => openSheet({ kind: "answer", question: question.id })}
        />
      )}
      <Close />
    </SheetFrame>
  );
}

/** A borough: who is there, its stacks and Units. */
export function PlaceSheet({ area: id }: { readonly area: string }) {
  const area = game.value?.areas.find((one) => one.id === id);
  if (area === undefined) return <Gone />;
  const here = game.value?.places.filter((place) => place.area === id) ?? [];
  return (
    <SheetFrame name="place" label={t(`place.${id}`)} tone="info">
      {here.map((place) => (
        <p key={place.id} class="row-between">
          <span>{t(`place.${place.id}`)}</span>
          <b>
            {place.monsters.length === 0
              ? t("place.empty")
              : place.monsters.map(names.player).join(", ")}
          </b>
        </p>
      ))}
      {area.stacks.map((stack) => (
        <p key={`stack${stack.id}`} class="row-between">
          <span>
            <IdSign id={stack.tile ?? "question"} size={22} meaning={false} />{" "}
            {stack.tile === null ? t("tile.unknown") : t(`tile.${stack.tile}`)}
          </span>
          <span class="muted">{t("place.stack", { count: stack.left })}</span>
        </p>
      ))}
      {area.units.length > 0 && (
        <p>
          {area.units.map((unit) => (
            <IdSign key={unit.id} id={unit.kind} size={26} meaning={false} />
          ))}{" "}
          {t("units", { count: area.units.length })}
        </p>
      )}
      <Close />
    </SheetFrame>
  );
}

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
          <div class="log-rows col">
            <LogRows rows={rows} seats={game.value?.seats ?? []} />
            <div ref={end} />
          </div>
        </>
      }
      dock={
        watcher ? (
          <Back />
        ) : (
          <div class="log-dock col gap-8">
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

function Back() {
  return (
    <div class="two">
      <Act sign="clock" size={22} text={t("time.open")} onTap={() => void openTime()} />
      <Act
        sign="question"
        size={22}
        text={t("forgotten.head")}
        onTap={() => openSheet({ kind: "forgotten" })}
      />
    </div>
  );
}

const NEAR = 80;

/** What scrolls the rows: it depends on the size of the text and on how the phone is held. */
function scrollerOf(one: Element | null): Element | null {
  for (let box = one?.parentElement ?? null; box !== null; box = box.parentElement)
    if (/auto|scroll/.test(getComputedStyle(box).overflowY)) return box;
  return null;
}

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

export function HandsScreen() {
  const hands = tasks();
  const open = openTasks();
  const done = hands.filter((one) => ticked.value.has(one.id));
  return (
    <Screen
      name="hands"
      status={turnText()}
      tabs={false}
      head={
        <>
          <span class="hand-disc middle absolute on-stars">
            <Sign name="hand" size={80} />
          </span>
          <Headline text={t("head.hands")} room={230} most={54} />
          <p class="beside-shadow">{t("hands.how")}</p>
        </>
      }
      dock={<Close class="wide-act" />}
    >
      {hands.length === 0 ? (
        <p>{t("hands.none")}</p>
      ) : (
        <>
          <Heading
            text={t("hands.done", { count: done.length, all: hands.length })}
            note={t("hands.optional")}
          />
          <progress
            class="hands-bar w-full overflow-hidden rounded-4 no-border on-raised"
            max={hands.length}
            value={done.length}
            aria-label={t("hands.done", { count: done.length, all: hands.length })}
          />
        </>
      )}
      {[...open, ...done].map((hand) => (
        <HandRow key={hand.id} hand={hand} />
      ))}
      <div class="row-between">
        <small class="muted">{t("hands.quiet")}</small>
        {quietKinds() > 0 && <Act text={t("hands.wake")} onTap={wakeReminders} />}
      </div>
    </Screen>
  );
}

function HandRow({ hand }: { readonly hand: Hand }) {
  const done = ticked.value.has(hand.id);
  const seat = seatOf(hand.seat);
  return (
    <button
      type="button"
      class={`hand-row boxed row gap-12 text-left color-text bold pad-8-12 ${done ? "done" : ""}`}
      role="checkbox"
      aria-checked={done}
      onClick={() => tick(hand.id, !done)}
    >
      {seat === null || done || seat.seat === you.value.seat ? (
        <span class="hand-sign middle rigid on-raised">
          <IdSign id={hand.sign} size={26} meaning={!done} />
        </span>
      ) : (
        <MonsterTile monster={seat.monster} size={40} />
      )}
      <span class="hand-words grow">
        <span class="hand-what">{say(hand.words)}</span>
        <NoteOf hand={hand} />
      </span>
      <span class="box middle rigid rounded-4">{done && <Sign name="tick" size={20} />}</span>
    </button>
  );
}

/** What the dial showed, or what the Monster has now; and why. */
function NoteOf({ hand }: { readonly hand: Hand }) {
  const parts = [...(hand.note === null ? [] : [say(hand.note)]), clausesOf(hand.why)];
  const text = parts.filter((part) => part !== "").join(" · ");
  return text === "" ? null : <small class="muted block regular">{text}</small>;
}

export function ClauseSheet({ id }: { readonly id: string }) {
  const [found, setFound] = useState<Clause | "asked" | "none">("asked");
  useEffect(() => {
    let left = false;
    void api.clause(id).then((answer) => {
      if (!left) setFound(answer.kind === "done" ? answer.value : "none");
    });
    return () => {
      left = true;
    };
  }, [id]);
  return (
    <SheetFrame name="clause" label={t("clause.head", { clause: id })} tone="info">
      <div class="clause-text col gap-8" role="status">
        {typeof found === "string" ? (
          <p class="muted">{t(`clause.${found}`)}</p>
        ) : (
          <>
            <p lang="en">{found.text}</p>
            <p class="muted small">
              {t(`clause.status.${found.status}`)}{" "}
              {prefs.value.language !== "en" && t("clause.english")}
            </p>
          </>
        )}
      </div>
      <Close />
    </SheetFrame>
  );
}

export function UnstartSheet({ seq }: { readonly seq: number }) {
  const tapped = () => {
    closeSheet();
    undo(seq);
  };
  return (
    <SheetFrame name="unstart" label={t("unstart.head")} tone="doubt">
      <p>{t("unstart.what")}</p>
      <Primary text={t("unstart.stay")} onTap={closeSheet} />
      <Act text={t("unstart.go")} onTap={tapped} />
    </SheetFrame>
  );
}

export function OverScreen() {
  const now = game.value;
  const table = view.value?.table ?? "";
  if (now?.ended == null) return null;
  return (
    <Screen
      name="game-over"
      news={false}
      poster={hasPoster(now)}
      status={t("status.turn", { turn: now.turn })}
      head={<FinalHead now={now} mine={you.value.seat} />}
      dock={
        you.value.role === "host" ? (
          <Primary text={t("over.again")} onTap={() => setUpAgain(now)} />
        ) : (
          <Primary text={t("story.open")} onTap={() => void openStory(table)} />
        )
      }
    >
      <Final now={now} />
      {table !== "" && <StoryBrief id={table} now={now} />}
      {you.value.role !== "spectator" && (
        <Act onTap={() => void openExport(table, true)}>
          <Sign name="arrow_down" size={22} /> {t("export.open")}
        </Act>
      )}
    </Screen>
  );
}

/** The score of the previous game, while the next is being set up elsewhere; somebody closes it. */
export function ScoreScreen({ now }: { readonly now: GameView }) {
  return (
    <Screen
      name="game-over"
      poster={hasPoster(now)}
      tabs={false}
      status={t("status.turn", { turn: now.turn })}
      head={<FinalHead now={now} />}
      dock={<Primary text={t("over.next")} note={t("over.next_how")} onTap={leaveScore} />}
    >
      <Final now={now} />
    </Screen>
  );
}
