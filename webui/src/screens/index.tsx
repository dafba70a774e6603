/**
 * The table of screens and sheets: one row each, with the condition for showing it and the file it is in. A new
 * screen is a row and its file; the subject of a new sheet is in `store/route.ts`.
 */
import type { ComponentType, JSX } from "preact";
import { loadable } from "../store/api";
import { showStale, tvWaiting } from "../store/front";
import { score } from "../store/games";
import { type Sheet, type SheetOf, sheet, tab } from "../store/route";
import { game, justWatch, line, seatPicking, stranger, update, view, you } from "../store/table";
import { activeProposal } from "../store/tray";
import { acting, byHand, isShut } from "../store/turn";
import { t, wordsReady } from "../store/words";
import { Covered, Screen } from "../ui/frame";
import type { Question } from "../wire";

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

export interface Row {
  /** The screen; null if it is not shown. */
  readonly show: () => JSX.Element | null;
  readonly fetch: () => void;
}

/** `when`: the props of the row's part; null: it is not shown. */
export function row<P extends object>(
  name: string,
  Shown: ComponentType<P> | Part<P>,
  when: () => P | null,
): Row {
  const show = () => {
    const props = when();
    return props === null ? null : <Shown key={name} {...props} />;
  };
  return { show, fetch: "fetch" in Shown ? Shown.fetch : () => undefined };
}

export interface SheetRow<P> {
  readonly part: Part<P>;
  /** Whether it replaces the screen; else it covers it. */
  readonly whole: boolean;
}

export function over<P>(one: Part<P>): SheetRow<P> {
  return { part: one, whole: false };
}

export function whole<P>(one: Part<P>): SheetRow<P> {
  return { part: one, whole: true };
}

export function firstOf(rows: readonly Row[]): JSX.Element | null {
  for (const one of rows) {
    const shown = one.show();
    if (shown !== null) return shown;
  }
  return null;
}

export interface Part<P> {
  (props: P): JSX.Element;
  /** Start loading before the part is needed. */
  fetch(): void;
}

type PropsOf<C> = C extends () => unknown
  ? Record<never, never>
  : C extends (props: infer P) => unknown
    ? P
    : never;

/** The lazily loaded components of a file, by name. */
export function file<M extends object>(load: () => Promise<M>) {
  return <N extends keyof M>(name: N) => part(load, name);
}

/** Make a lazily loaded component: `name` of another file; loaded at its first use, or by `fetch`. */
function part<M extends object, N extends keyof M>(
  load: () => Promise<M>,
  name: N,
): Part<PropsOf<M[N]> & object> {
  const found = loadable(load);
  const Component = (props: PropsOf<M[N]> & object) => {
    const file = found.get();
    if (file === null) return <Screen name="opening" head={null} tabs={false} />;
    const Found = file[name] as ComponentType<PropsOf<M[N]> & object>;
    return <Found {...props} />;
  };
  return Object.assign(Component, { fetch: found.fetch });
}

const NOTHING = {};

function shownIf(condition: boolean): typeof NOTHING | null {
  return condition ? NOTHING : null;
}

/** Whether this phone must choose a seat first. */
function choosesSeat(): boolean {
  const wants = you.value.seat === null && !justWatch.value;
  return (seatPicking.value || wants) && (tab.value === "monster" || game.value === null);
}

/** Return the question of that kind that this phone answers. */
function asked<K extends Question["kind"]>(kind: K): { readonly question: Question } | null {
  const question = game.value?.question ?? null;
  return acting.value !== null && question?.kind === kind ? { question } : null;
}

/** Return the choice that this phone makes, if `fits` accepts it. */
function choice(fits: (question: Question) => boolean): { readonly question: Question } | null {
  const found = asked("choice");
  return found !== null && fits(found.question) ? found : null;
}

function camera(...states: readonly string[]): boolean {
  return states.includes(view.value?.tray.camera ?? "");
}

function isOrder({ key, options }: Question): boolean {
  return key === "group" && options.length > 1 && options.every((option) => option.face !== null);
}

// The files of the screens below: a screen's file is loaded at its first use, or by `fetchScreens`.
const inLobby = file(() => import("./lobby"));
const inMonster = file(() => import("./turn/monster"));
const inTable = file(() => import("./table"));
const inPeople = file(() => import("./people"));
const inMore = file(() => import("./more"));
const inRoll = file(() => import("./turn/roll"));
const inBuy = file(() => import("./turn/buy"));
const inDestroy = file(() => import("./turn/destroy"));
const inAnswer = file(() => import("./turn/answer"));
const inOrder = file(() => import("./turn/order"));
const inNumbers = file(() => import("./numbers"));
const inGames = file(() => import("./games"));
const inOdds = file(() => import("./odds"));
const inSetup = file(() => import("./setup"));
const inTime = file(() => import("./time"));
const inStory = file(() => import("./story"));
const inPicture = file(() => import("./picture"));
const inRecords = file(() => import("./records"));

/** Screens that are shown whatever is open, with nothing over them. */
const ALONE: readonly Row[] = [
  row("stranger", inLobby("StrangerScreen"), () => shownIf(stranger.value)),
  row("no-line", inMonster("NoLine"), () => shownIf(line.value === "lost" && !showStale.value)),
  row("opening", Opening, () => shownIf(update.value === null)),
  row("let-in", inMore("LetInScreen"), () => shownIf(tvWaiting.value !== "")),
  row("score", inTable("ScoreScreen"), () => (score.value === null ? null : { now: score.value })),
];

/** The screens, by priority; the last ones, of a turn, are loaded first. */
const SCREENS: readonly Row[] = [
  row("asking", inPeople("AskingScreen"), () =>
    choosesSeat() && you.value.asks !== null ? { seat: you.value.asks } : null,
  ),
  row("pick-seat", inPeople("SeatScreen"), () => shownIf(choosesSeat())),
  row("more", inMore("MoreScreen"), () => shownIf(tab.value === "more")),
  row("lobby", inLobby("LobbyScreen"), () =>
    shownIf(game.value === null && view.value?.lobby != null),
  ),
  row("table", inTable("TableScreen"), () => shownIf(tab.value === "table")),
  row("log", inTable("LogScreen"), () => shownIf(tab.value === "log")),
  row("opening", Opening, () => shownIf(game.value === null)),
  row("over", inTable("OverScreen"), () => shownIf(game.value?.ended != null)),
  row("waiting", inMonster("Waiting"), () =>
    shownIf(game.value?.question == null || acting.value === null),
  ),
  row("proposal", inRoll("ProposalScreen"), () => {
    const found = asked("roll");
    return found === null || activeProposal.value === null
      ? null
      : { ...found, proposal: activeProposal.value };
  }),
  row("again", inRoll("AgainScreen"), () => {
    const found = asked("roll");
    return found !== null && found.question.showing.length > 0 ? found : null;
  }),
  row("my-turn", inMonster("MyTurn"), () =>
    camera("ok", "starting") && !byHand.value ? asked("roll") : null,
  ),
  row("by-hand", inRoll("ByHandScreen"), () => {
    const found = asked("roll");
    return found === null ? null : { ...found, lost: camera("lost", "ended") };
  }),
  row("secret", inAnswer("SecretScreen"), () => shownIf(isShut.value)),
  row("card", inBuy("CardScreen"), () => asked("reveal_card")),
  row("tile", inDestroy("TileScreen"), () => asked("reveal_tile")),
  row("destroy", inDestroy("DestroyScreen"), () =>
    choice(({ options }) => options.some((option) => option.tile !== null)),
  ),
  row("buy", inBuy("BuyScreen"), () => choice(({ key }) => key === "buy" || key === "move")),
  row("flee", inAnswer("FleeScreen"), () => choice(({ window }) => window === "flee")),
  row("place", inBuy("PlaceScreen"), () => choice(({ window }) => window === "place")),
  row("order", inOrder("OrderScreen"), () => choice(isOrder)),
  row("rethrow", inAnswer("RethrowScreen"), () => choice(({ odds }) => odds.length > 0)),
  row("last-chance", inAnswer("LastChanceScreen"), () =>
    choice(({ window, options }) => window === "hurt" && options.some((one) => one.out)),
  ),
  row("choice", inAnswer("ChoiceScreen"), () => asked("choice")),
];

/** The sheets, by the kind of their route. */
const SHEETS: { readonly [K in Sheet["kind"]]: SheetRow<Omit<SheetOf<K>, "kind">> } = {
  die: over(inRoll("DieSheet")),
  answer: over(inAnswer("AnswerForSheet")),
  ahead: over(inMonster("AheadSheet")),
  number: over(inNumbers("NumberSheet")),
  conflict: whole(inNumbers("ConflictScreen")),
  clause: over(inTable("ClauseSheet")),
  player: over(inTable("PlayerSheet")),
  place: over(inTable("PlaceSheet")),
  share: over(inMore("ShareSheet")),
  unstart: over(inTable("UnstartSheet")),
  "new-game": over(inGames("NewGameSheet")),
  take: over(inPeople("TakeSheet")),
  seat: over(inPeople("SeatSheet")),
  person: over(inPeople("PersonSheet")),
  host: over(inPeople("HostSheet")),
  hands: whole(inTable("HandsScreen")),
  misread: whole(inOdds("MisreadScreen")),
  order: whole(inOrder("OrderScreen")),
  qr: whole(inLobby("QrScreen")),
  people: whole(inPeople("PeopleScreen")),
  tv: whole(inMore("ViewersScreen")),
  "table-page": whole(inMore("TablePage")),
  camera: whole(inSetup("SetupScreen")),
  box: over(inSetup("BoxSheet")),
  forgotten: whole(inTime("ForgottenScreen")),
  time: whole(inTime("TimeScreen")),
  games: whole(inGames("GamesScreen")),
  past: whole(inGames("PastScreen")),
  odds: whole(inOdds("OddsScreen")),
  story: whole(inStory("StoryScreen")),
  picture: whole(inPicture("PictureScreen")),
  statistics: whole(inRecords("StatisticsScreen")),
  record: whole(inRecords("RecordScreen")),
  export: whole(inGames("ExportScreen")),
};

/** The page: a screen, and the sheet over it. */
export function Shown(): JSX.Element | null {
  const alone = firstOf(ALONE);
  if (alone !== null) return alone;
  const open = sheet.value;
  const found = open === null ? null : (SHEETS[open.kind] as SheetRow<Sheet>);
  const opened = open === null || found === null ? null : <found.part key={open.kind} {...open} />;
  if (found?.whole) return opened;
  return (
    <>
      <Covered.Provider value={open !== null}>{firstOf(SCREENS)}</Covered.Provider>
      {opened}
    </>
  );
}

/** Load all parts, those of a turn first: later screens must not need a connection. */
export function fetchScreens(): void {
  for (const one of [...SCREENS].reverse()) one.fetch();
  for (const { part: one } of Object.values(SHEETS)) one.fetch();
  for (const one of ALONE) one.fetch();
}
