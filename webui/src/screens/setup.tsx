/** The set-up of camera and dice, step by step, and the boxes that are kept. */
import "../styles/later.css";
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { DieArt, Sign, type SignName } from "../art";
import { signOf } from "../art/signs";
import { closeSheet, openSheet } from "../store/route";
import * as store from "../store/setup";
import { names, view, you } from "../store/table";
import { knows, t } from "../store/words";
import { Headline, Screen } from "../ui/frame";
import { Act, Close, Counter, IdSign, Note, Primary, Spoken } from "../ui/kit";
import { Gone, SheetFrame } from "../ui/strips";
import { LivePicture } from "../ui/tray";
import type { Check, DieView, SetupSeen, SetupView } from "../wire";

export type Corners = NonNullable<SetupSeen["corners"]>;
type Corner = Corners[number];

const STEP = 0.01;
const ARROWS: Readonly<Record<string, Corner>> = {
  ArrowLeft: [-STEP, 0],
  ArrowRight: [STEP, 0],
  ArrowUp: [0, -STEP],
  ArrowDown: [0, STEP],
};

export function Outline({ corners }: { readonly corners: Corners }) {
  return (
    <svg class="outline fill" viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true">
      <polygon points={corners.map((corner) => corner.join(",")).join(" ")} />
    </svg>
  );
}

export interface CornersEditorProps {
  readonly corners: Corners;
  readonly onChange: (corners: Corners) => void;
}

export function CornersEditor({ corners, onChange }: CornersEditorProps) {
  const frame = useRef<HTMLDivElement>(null);
  const move = (index: number, x: number, y: number) => {
    const place: Corner = [within(x), within(y)];
    const [a, b, c, d] = corners.map((corner, at) => (at === index ? place : corner));
    if (a !== undefined && b !== undefined && c !== undefined && d !== undefined)
      onChange([a, b, c, d]);
  };
  return (
    <div class="corners fill" ref={frame}>
      <Outline corners={corners} />
      {corners.map(([x, y], index) => (
        <button
          key={index}
          type="button"
          class="corner-handle absolute no-border"
          aria-label={t("setup.corners.corner", { count: index + 1 })}
          style={{ left: `${100 * x}%`, top: `${100 * y}%` }}
          onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
          onPointerMove={(event) => {
            const box = frame.current?.getBoundingClientRect();
            if (box === undefined || !event.currentTarget.hasPointerCapture(event.pointerId))
              return;
            move(
              index,
              (event.clientX - box.left) / box.width,
              (event.clientY - box.top) / box.height,
            );
          }}
          onKeyDown={(event) => {
            const by = ARROWS[event.key];
            if (by === undefined) return;
            event.preventDefault();
            move(index, x + by[0], y + by[1]);
          }}
        />
      ))}
    </div>
  );
}

function within(share: number): number {
  return Math.min(1, Math.max(0, share));
}

export interface SeenProps {
  readonly size: readonly [number, number];
  readonly tone: Check["verdict"];
  readonly children?: ComponentChildren;
}

/** What the camera sees, renewed a few times a second; `children` are marked in it. */
export function Seen({ size, tone, children }: SeenProps) {
  const [width, height] = size;
  return (
    <div
      class={`live-picture w-full relative overflow-hidden rounded on-panel picture tone-${tone}`}
      style={{ aspectRatio: `${width} / ${height}` }}
    >
      <LivePicture after={200} />
      {children}
    </div>
  );
}

/** A mark round a die: a tick if its view is good, else why it is not. */
export function DieMark({ die }: { readonly die: DieView }) {
  return (
    <AreaMark area={die.area} good={die.problem === null}>
      {die.problem === null ? (
        <span class="mark-badge middle absolute rounded-4 on-go">
          <Sign name="tick" size={14} />
        </span>
      ) : (
        <span class="mark-words absolute rounded-4 on-stars bold">
          {t(`setup.view.${die.problem}`)}
        </span>
      )}
    </AreaMark>
  );
}

type AreaMarkProps = Readonly<{
  area: DieView["area"];
  good: boolean;
  children?: ComponentChildren;
}>;

export function AreaMark({ area, good, children }: AreaMarkProps) {
  const [x, y, width, height] = area.map((share) => `${100 * share}%`);
  return (
    <span
      class={`mark dashed-gold absolute rounded-8 ${good ? "good" : ""}`}
      style={{ left: x, top: y, width, height }}
    >
      {children}
    </span>
  );
}

/** End the set-up, and close its page. */
export function Leave({ text = t("setup.leave") }: { readonly text?: string }) {
  return (
    <Act
      text={text}
      class="wide-act"
      onTap={() => {
        void store.step({ act: "end" });
        closeSheet();
      }}
    />
  );
}

export function BoxesScreen({ now }: { readonly now: SetupView | null }) {
  const camera = now?.camera ?? "none";
  const begins = camera === "ok" || camera === "starting";
  const used = now?.boxes.some((box) => box.chosen && box.game === now.game) === true;
  return (
    <Screen
      name="boxes"
      status={t("title")}
      tabs={false}
      head={
        <>
          <Headline text={t("setup.open")} most={54} />
          <p class="muted">{t("setup.about")}</p>
        </>
      }
      dock={
        <>
          {now !== null && (
            <Primary
              text={t("setup.begin")}
              note={t(begins ? "setup.two_minutes" : "setup.no_camera")}
              onTap={begins ? () => void store.step({ act: "begin" }) : undefined}
            />
          )}
          <Close class="wide-act" />
        </>
      }
    >
      {now?.boxes.map((box) => (
        <button
          key={box.id}
          type="button"
          class={`game-row boxed row gap-12 w-full text-left color-text leading-125 pad-8-12 ${box.chosen ? "current" : ""}`}
          onClick={() => openSheet({ kind: "box", id: box.id })}
        >
          <Sign name="dice" size={32} />
          <span class="seat-words col grow">
            <b>{box.name}</b>
            <span class="muted">
              {t(`game.${box.game}`)} · {t("setup.prints", { count: box.prints })}
            </span>
            {box.chosen && <span>{t("setup.chosen")}</span>}
          </span>
          <Sign name="chevron_right" size={20} />
        </button>
      ))}
      {used && (
        <Act text={t("setup.put_away")} onTap={() => void store.handleBox({ act: "put_away" })} />
      )}
      {now !== null && <ImportButton />}
      <Misreads />
    </Screen>
  );
}

/** Reports of the dice that are proposed, and of the last roll that was corrected. */
function Misreads() {
  const tray = view.value?.tray;
  const now = tray?.proposal?.id ?? "";
  const last = tray?.misread ?? "";
  return (
    <>
      {now !== "" && (
        <Act sign="camera" text={t("misread.send")} onTap={() => void store.openMisread(now)} />
      )}
      {last !== "" && last !== now && (
        <Act sign="camera" text={t("misread.last")} onTap={() => void store.openMisread(last)} />
      )}
    </>
  );
}

function ImportButton() {
  // A new input for each file, so that the same one can be chosen again.
  const [field, setField] = useState(0);
  return (
    <label class="act photo relative overflow-hidden">
      <input
        key={field}
        type="file"
        accept=".json,application/json"
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          if (file !== undefined) void store.importBox(file).then(() => setField(field + 1));
        }}
      />
      <Sign name="plus" size={24} />
      <span class="photo-words">
        <b>{t("setup.import")}</b>
        <small class="muted">{t("setup.import_how")}</small>
      </span>
    </label>
  );
}

const LONGEST_NAME = 40;

/** What the box is called. */
function NameField({ name, onInput }: { name: string; onInput: (name: string) => void }) {
  return (
    <label class="field col gap-6 semibold">
      <span class="label">{t("setup.name")}</span>
      <input
        type="text"
        value={name}
        maxLength={LONGEST_NAME}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </label>
  );
}

export function BoxSheet({ id }: { readonly id: string }) {
  const box = store.setup.value?.boxes.find((one) => one.id === id);
  const [name, setName] = useState(box?.name ?? "");
  const [deleting, setDeleting] = useState(false);
  if (box === undefined) return <Gone />;
  const handle = async (act: "choose" | "delete" | "rename") => {
    const done = await store.handleBox({
      act,
      id,
      ...(act === "rename" ? { name: name.trim() } : {}),
    });
    if (done) store.openSetup();
  };
  return (
    <SheetFrame name="box" label={box.name} tone={deleting ? "doubt" : "go"}>
      {deleting ? (
        <>
          <p>{t("setup.delete_what")}</p>
          <Primary text={t("setup.delete_not")} onTap={() => setDeleting(false)} />
          <Act text={t("setup.delete")} onTap={() => void handle("delete")} />
        </>
      ) : (
        <>
          {!box.chosen && <Primary text={t("setup.choose")} onTap={() => void handle("choose")} />}
          <NameField name={name} onInput={setName} />
          <Act
            disabled={name.trim() === "" || name.trim() === box.name}
            onTap={() => void handle("rename")}
          >
            {t("setup.rename")}
          </Act>
          <a class="act" href={`/api/boxes/${box.id}`} download={`${box.name}.json`}>
            <Sign name="arrow_down" size={22} /> {t("setup.export")}
          </a>
          <div class="two">
            <Act text={t("setup.delete")} onTap={() => setDeleting(true)} />
            <Act text={t("back")} onTap={store.openSetup} />
          </div>
        </>
      )}
    </SheetFrame>
  );
}

const SIGNS: Readonly<Record<Check["key"], SignName>> = {
  light: "flame",
  glare: "sun",
  size: "dice",
  tilt: "arrow_down",
  sharp: "search",
  tray: "table",
};
const ORDER: Readonly<Record<Check["verdict"], number>> = { bad: 0, warn: 1, good: 2 };

/** The corners that are offered if the camera found no tray. */
const WIDE: Corners = [
  [0.1, 0.1],
  [0.9, 0.1],
  [0.9, 0.9],
  [0.1, 0.9],
];

export function PlaceScreen({ now, seen }: { readonly now: SetupView; readonly seen: SetupSeen }) {
  const [drawing, setDrawing] = useState<Corners | null>(null);
  const { worst } = now;
  const headline = worst === null ? t("setup.all_good") : t(actOf(worst));
  const glare = seen.checks.find(({ key, verdict }) => key === "glare" && verdict !== "good");
  const checks = [...seen.checks].sort((one, other) => ORDER[one.verdict] - ORDER[other.verdict]);
  return (
    <Screen
      name="camera-place"
      status={t("setup.step", { step: 1 })}
      tabs={false}
      head={
        <>
          <Headline text={headline} lines={1} most={54} />
          <Spoken text={headline} />
          <Seen size={seen.size} tone={worst?.verdict ?? "good"}>
            {drawing === null ? (
              seen.corners !== null && <Outline corners={seen.corners} />
            ) : (
              <CornersEditor corners={drawing} onChange={setDrawing} />
            )}
            {glare?.quadrant != null && drawing === null && (
              <span class={`glare-mark ${glare.quadrant}`}>
                <b>
                  <Sign name="sun" size={16} /> {t(`setup.quadrant.${glare.quadrant}`)}
                </b>
              </span>
            )}
          </Seen>
        </>
      }
      dock={
        drawing === null ? (
          <Primary
            text={t("setup.next")}
            note={worst === null ? undefined : t("setup.as_it_is")}
            onTap={() => void store.step({ act: "show" })}
          />
        ) : (
          <Primary
            text={t("setup.corners.use")}
            onTap={() => {
              void store.step({ act: "corners", corners: drawing });
              setDrawing(null);
            }}
          />
        )
      }
    >
      {drawing === null ? (
        <>
          <ul class="checks plain-list">
            {checks.map((check) => (
              // A row whose verdict changes also moves, and Chromium keeps its old colours then.
              <CheckRow key={`${check.key} ${check.verdict}`} check={check} />
            ))}
          </ul>
          <div class="two">
            <Act text={t("setup.corners.set")} onTap={() => setDrawing(seen.corners ?? WIDE)} />
            {seen.is_drawn ? (
              <Act
                text={t("setup.corners.found")}
                onTap={() => void store.step({ act: "corners" })}
              />
            ) : (
              <Leave />
            )}
          </div>
          <p class="muted small">{t("setup.live")}</p>
        </>
      ) : (
        <>
          <p>{t("setup.corners.how")}</p>
          <Act text={t("back")} onTap={() => setDrawing(null)} />
        </>
      )}
    </Screen>
  );
}

function actOf({ key, reason }: Check): string {
  const act = `setup.act.${key}.${reason}`;
  return knows(act) ? act : "setup.act.size.no_dice";
}

function CheckRow({ check }: { readonly check: Check }) {
  const { key, reason, verdict } = check;
  const args = {
    value: Math.round(check.value),
    where: check.quadrant === null ? "" : t(`setup.quadrant.${check.quadrant}`),
  };
  return (
    <li
      class={`check dotted-below row gap-14 tall-52 tone-${verdict}`}
      data-check={key}
      data-verdict={verdict}
      data-unit={check.unit}
    >
      <Sign name={SIGNS[key]} size={28} />
      <span class="check-words grow">
        <b>{t(`setup.check.${key}.${reason}`, args)}</b>
        <small class="muted block">{t(`setup.hint.${key}.${reason}`)}</small>
      </span>
      <span class="check-verdict go inline-row gap-6 bold">
        <Sign name={verdict === "good" ? "tick" : "warning"} size={22} />
        {t(`setup.verdict.${verdict}`)}
      </span>
    </li>
  );
}

export function FacesScreen({ now, seen }: { readonly now: SetupView; readonly seen: SetupSeen }) {
  const { face, views } = seen;
  const current = views.find((one) => one.face === face);
  if (face === null || current === undefined) return null;
  const done = views.filter((one) => one.good >= one.need).length;
  const headline = t("setup.show", { face });
  const turn = seen.is_waiting
    ? current.good === 0
      ? "setup.turn"
      : "setup.quarter"
    : "setup.rest";
  return (
    <Screen
      name="show-face"
      status={t("setup.step", { step: 2 })}
      tabs={false}
      head={
        <>
          <div class={`face-poster on-stars flex justify-between gap-8 face-${face}`}>
            <div>
              <Headline text={headline} lines={3} most={48} room={206} />
              <p class="bold">{t("setup.how")}</p>
            </div>
            <DieArt face={signOf(face)} size={128} class="face-die" />
          </div>
          <Spoken text={headline} />
        </>
      }
      dock={
        <div class="two">
          <Act
            disabled={views.every((one) => one.good === 0)}
            onTap={() => void store.step({ act: "undo" })}
          >
            <Sign name="undo" size={22} /> {t("setup.undo")}
          </Act>
          <Act onTap={() => void store.step({ act: "skip" })}>
            {t(current.good >= now.least ? "setup.enough" : "setup.later")}
          </Act>
        </div>
      }
    >
      <Seen size={seen.size} tone="good">
        {seen.dice.map((die, index) => (
          <DieMark key={index} die={die} />
        ))}
      </Seen>
      <div class="face-count row gap-14">
        <Counter value={current.good} class="count-number display-face" />
        <p>
          <b>{t("setup.count", { count: current.need, face })}</b>
          <small class="muted block">{t(turn)}</small>
        </p>
      </div>
      <p class="bars flex gap-4" aria-hidden="true">
        {Array.from({ length: current.need }, (_, index) => (
          <i key={index} class={index < current.good ? "full" : ""} />
        ))}
      </p>
      <div class="face-tiles flex gap-6">
        {views.map((one) => (
          <button
            key={one.face}
            type="button"
            class={`face-tile middle grow relative rounded muted no-fill ${one.face === face ? "chosen" : ""} ${one.good >= one.need ? "done" : ""}`}
            aria-label={t("setup.tile", { face: one.face, count: one.good })}
            aria-current={one.face === face ? "step" : undefined}
            onClick={() => void store.step({ act: "show", face: one.face })}
          >
            <IdSign id={one.face} size={28} meaning={one.face === face || one.good >= one.need} />
            {one.good >= one.need && (
              <span class="mark-badge middle absolute rounded-4 on-go">
                <Sign name="tick" size={12} />
              </span>
            )}
          </button>
        ))}
      </div>
      <p class="row-between muted small">
        <span>
          {t("setup.done", { count: done, faces: views.length, seconds: Math.round(seen.seconds) })}
        </span>
        <span>{t("setup.by_itself")}</span>
      </p>
      <Act class="plain" onTap={() => void store.step({ act: "place" })}>
        <Sign name="chevron_left" size={20} /> {t("setup.back_to_place")}
      </Act>
    </Screen>
  );
}

export function ResultScreen({ now, seen }: { readonly now: SetupView; readonly seen: SetupSeen }) {
  const [name, setName] = useState(() => usualName(now));
  const { result } = seen;
  if (result === null) return null;
  const sum = (of: "views" | "before" | "after") =>
    result.faces.reduce((total, one) => total + one[of], 0);
  const [views, before, after] = [sum("views"), sum("before"), sum("after")];
  const worse = after < before;
  const percent = (share: number) => Math.round(1000 * share) / 10;
  const [pair] = result.alike;
  return (
    <Screen
      name="dice-result"
      status={t("setup.step", { step: 3 })}
      tabs={false}
      head={
        <>
          <Headline text={t(worse ? "setup.worse" : "setup.known")} most={60} />
          <p>{t("setup.held_out")}</p>
          <p class="held-out flex wrap items-end gap-14">
            <span>
              <small class="muted block">{t("setup.before")}</small>
              <b class="num">{before}</b>
            </span>
            <Sign name="arrow_right" size={28} class="muted" />
            <span class={worse ? "after worse" : "after"}>
              <small class="muted block">{t("setup.after")}</small>
              <b class="num">{after}</b>
            </span>
            <span class="muted">{t("setup.of", { count: views })}</span>
          </p>
          <p class="muted small">
            {t("setup.few", { count: views, low: percent(result.low), high: percent(result.high) })}
          </p>
        </>
      }
      dock={
        <Primary
          text={t("setup.use", { name: name.trim() })}
          note={t(worse ? "setup.use_worse" : "setup.kept_here")}
          onTap={
            now.complete && name.trim() !== ""
              ? () => void store.step({ act: "use", name: name.trim() })
              : undefined
          }
        />
      }
    >
      <ul class="checks plain-list">
        {result.faces.map((one) => (
          <li key={one.face} class="held-row dotted-below row gap-14 tall-52">
            <IdSign id={one.face} size={28} />
            <b>{t(`face.${one.face}`)}</b>
            <span class="bars flex gap-4 small" aria-hidden="true">
              {Array.from({ length: one.views }, (_, index) => (
                <i key={index} class={index < one.after ? "full" : "doubt"} />
              ))}
            </span>
            <span class={one.after === one.views ? "muted" : "doubtful"}>
              {t("setup.right", { count: one.after, views: one.views })}
            </span>
          </li>
        ))}
      </ul>
      {pair !== undefined && (
        <Note sign={pair[0]} tone="doubt">
          <p>{t("setup.alike", { face: pair[0], other_face: t(`face.${pair[1]}`) })}</p>
          <Act
            text={t("setup.show_more")}
            onTap={() => void store.step({ act: "show", face: pair[0] })}
          />
        </Note>
      )}
      <NameField name={name} onInput={setName} />
      <div class="two">
        <Act onTap={() => void store.step({ act: "test" })}>
          <Sign name="dice" size={22} /> {t("setup.test")}
        </Act>
        <Leave text={t("setup.keep_old")} />
      </div>
    </Screen>
  );
}

/** The name of the box in use, which is then replaced; else one with the host's name. */
function usualName({ boxes, game }: SetupView): string {
  const chosen = boxes.find((box) => box.chosen && box.game === game);
  const { seat } = you.value;
  if (chosen !== undefined) return chosen.name;
  return seat === null ? t("setup.our_box") : t("setup.their_box", { name: names.player(seat) });
}

export function TestScreen({ seen }: { readonly seen: SetupSeen }) {
  const { roll } = seen;
  const sure = roll?.sure ? "setup.test_sure" : "setup.test_unsure";
  const verdict = roll === null ? "setup.test_roll" : sure;
  return (
    <Screen
      name="test-roll"
      status={t("setup.step", { step: 3 })}
      tabs={false}
      head={
        <>
          <Headline text={t(verdict)} most={54} />
          <Spoken text={roll === null ? "" : t(verdict)} />
          <p class="muted">{t(roll === null ? "setup.test_how" : "setup.test_again")}</p>
          <Seen size={seen.size} tone={roll === null || roll.sure ? "good" : "warn"}>
            {roll?.dice.map((die, index) => (
              <AreaMark key={index} area={die.area} good={die.problem === null}>
                <span class="mark-words absolute rounded-4 on-stars bold">
                  {die.face === null ? "?" : t(`face.${die.face}`)}
                  {die.problem !== null && die.face !== null && " ?"}
                </span>
              </AreaMark>
            ))}
          </Seen>
        </>
      }
      dock={<Primary text={t("setup.to_result")} onTap={() => void store.step({ act: "show" })} />}
    >
      {roll?.problems.map((problem) => (
        <Note key={problem} sign="warning" tone="doubt">
          <p>{t(`tray.problem.${problem}`)}</p>
        </Note>
      ))}
      {store.setup.value?.worst != null && (
        <Act text={t("setup.back_to_place")} onTap={() => void store.step({ act: "place" })} />
      )}
    </Screen>
  );
}

export function SetupScreen() {
  useEffect(store.watchSetup, []);
  const now = store.setup.value;
  if (now === null || !now.running) return <BoxesScreen now={now} />;
  const { seen } = now;
  if (seen === null) {
    return (
      <Screen
        name="camera-opening"
        status={t("setup.step", { step: 1 })}
        tabs={false}
        head={<Headline text={t("setup.opening")} />}
        dock={<Leave />}
      />
    );
  }
  switch (seen.stage) {
    case "place":
      return <PlaceScreen now={now} seen={seen} />;
    case "faces":
      return <FacesScreen now={now} seen={seen} />;
    case "result":
      return <ResultScreen now={now} seen={seen} />;
    case "test":
      return <TestScreen seen={seen} />;
  }
}
