/**
 * The table of screens and sheets: one row each, with the condition for showing it and the file it is in. A new
 * screen is a row and its file; the subject of a new sheet is in `store/phone/route.ts`.
 */
import type { JSX } from "preact";
import { showStale } from "../store/phone/front";
import { type Sheet, type SheetOf, sheet, tab } from "../store/phone/route";
import { score } from "../store/table/games";
import {
  game,
  justWatch,
  line,
  seatPicking,
  stranger,
  update,
  view,
  you,
} from "../store/table/table";
import { activeProposal } from "../store/turn/throw";
import { acting, byHand } from "../store/turn/turn";
import { Covered } from "../ui/frame/screen";
import type { Question } from "../wire";
import { Opening } from "./opening";
import { file, firstOf, over, type Row, row, type SheetRow, whole } from "./rows";

const NOTHING = {};

function shownIf(condition: boolean): typeof NOTHING | null {
  return condition ? NOTHING : null;
}

/** Whether this phone must choose a seat first: a host may set up the table without one. */
function choosesSeat(): boolean {
  const { seat, role } = you.value;
  const wants = seat === null && !justWatch.value && (role !== "host" || game.value !== null);
  return (seatPicking.value || wants) && (tab.value === "monster" || game.value === null);
}

/** Return the question of that kind that this phone answers. */
function asked<K extends Question["kind"]>(kind: K): { readonly question: Question } | null {
  const question = game.value?.question ?? null;
  return acting.value !== null && question?.kind === kind ? { question } : null;
}

/** Return the choice that this phone makes, where `fits` accepts it. */
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
const inJoin = file(() => import("./lobby/join"));
const inLine = file(() => import("./turn/line"));
const inOver = file(() => import("./game/over"));
const inSeat = file(() => import("./lobby/seat"));
const inMore = file(() => import("./game/more"));
const inLobby = file(() => import("./lobby/lobby"));
const inTable = file(() => import("./game/table"));
const inLog = file(() => import("./game/log"));
const inMonster = file(() => import("./turn/monster"));
const inRoll = file(() => import("./turn/roll"));
const inAgain = file(() => import("./turn/again"));
const inBuy = file(() => import("./turn/buy"));
const inDestroy = file(() => import("./turn/destroy"));
const inAnswer = file(() => import("./turn/answer"));
const inPlace = file(() => import("./game/place"));
const inOrder = file(() => import("./game/order"));
const inOffers = file(() => import("./turn/offers/offers"));

/** Screens that are shown whatever is open, with nothing over them. */
const ALONE: readonly Row[] = [
  row("stranger", inJoin("StrangerScreen"), () => shownIf(stranger.value)),
  row("no-line", inLine("NoLine"), () => shownIf(line.value === "lost" && !showStale.value)),
  row("opening", Opening, () => shownIf(update.value === null)),
  row("score", inOver("ScoreScreen"), () => (score.value === null ? null : { now: score.value })),
];

/** The screens, by priority; the last ones, of a turn, are loaded first. */
const SCREENS: readonly Row[] = [
  row("asking", inSeat("AskingScreen"), () =>
    choosesSeat() && you.value.asks !== null ? { seat: you.value.asks } : null,
  ),
  row("pick-seat", inSeat("SeatScreen"), () => shownIf(choosesSeat())),
  row("more", inMore("MoreScreen"), () => shownIf(tab.value === "more")),
  row("lobby", inLobby("LobbyScreen"), () =>
    shownIf(game.value === null && view.value?.lobby != null),
  ),
  row("table", inTable("TableScreen"), () => shownIf(tab.value === "table")),
  row("log", inLog("LogScreen"), () => shownIf(tab.value === "log")),
  row("opening", Opening, () => shownIf(game.value === null)),
  row("over", inOver("OverScreen"), () => shownIf(game.value?.ended != null)),
  row("waiting", inMonster("Waiting"), () =>
    shownIf(game.value?.question == null || acting.value === null),
  ),
  row("proposal", inRoll("ProposalScreen"), () => {
    const found = asked("roll");
    return found === null || activeProposal.value === null
      ? null
      : { ...found, proposal: activeProposal.value };
  }),
  row("again", inAgain("AgainScreen"), () => {
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
  row("card", inBuy("CardScreen"), () => asked("reveal_card")),
  row("tile", inDestroy("TileScreen"), () => asked("reveal_tile")),
  row("destroy", inDestroy("DestroyScreen"), () =>
    choice(({ options }) => options.some((option) => option.tile !== null)),
  ),
  row("buy", inBuy("BuyScreen"), () => choice(({ key }) => key === "buy" || key === "move")),
  row("flee", inAnswer("FleeScreen"), () => choice(({ window }) => window === "flee")),
  row("place", inPlace("PlaceScreen"), () => choice(({ window }) => window === "place")),
  row("order", inOrder("OrderScreen"), () => choice(isOrder)),
  row("rethrow", inOffers("RethrowScreen"), () => choice(({ odds }) => odds.length > 0)),
  row("last-chance", inOffers("LastChanceScreen"), () =>
    choice(({ window, options }) => window === "hurt" && options.some((one) => one.out)),
  ),
  row("choice", inAnswer("ChoiceScreen"), () => asked("choice")),
];

/** The sheets, by the kind of their route. */
const SHEETS: { readonly [K in Sheet["kind"]]: SheetRow<Omit<SheetOf<K>, "kind">> } = {
  die: over(file(() => import("./turn/die"))("DieSheet")),
  answer: over(inAnswer("AnswerForSheet")),
  ahead: over(file(() => import("./turn/ahead"))("AheadSheet")),
  number: over(file(() => import("./numbers/number"))("NumberSheet")),
  conflict: whole(file(() => import("./numbers/conflict"))("ConflictScreen")),
  clause: over(file(() => import("./game/clause"))("ClauseSheet")),
  player: over(inTable("PlayerSheet")),
  place: over(inTable("PlaceSheet")),
  share: over(file(() => import("./phone/text-size"))("ShareSheet")),
  "text-size": over(file(() => import("./phone/text-size"))("TextSizeSheet")),
  unstart: over(file(() => import("./game/clause"))("UnstartSheet")),
  "new-game": over(file(() => import("./lobby/games"))("NewGameSheet")),
  take: over(inSeat("TakeSheet")),
  seat: over(inLobby("SeatSheet")),
  person: over(file(() => import("./lobby/people"))("PersonSheet")),
  host: over(file(() => import("./lobby/people"))("HostSheet")),
  hands: whole(file(() => import("./game/hands"))("HandsScreen")),
  tops: whole(inDestroy("TopsScreen")),
  misread: whole(file(() => import("./turn/misread"))("MisreadScreen")),
  order: whole(inOrder("OrderScreen")),
  qr: whole(inJoin("QrScreen")),
  people: whole(file(() => import("./lobby/people"))("PeopleScreen")),
  tv: whole(file(() => import("./lobby/viewers"))("ViewersScreen")),
  "table-page": whole(file(() => import("./game/table-page"))("TablePage")),
  camera: whole(file(() => import("./setup/setup"))("SetupScreen")),
  box: over(file(() => import("./setup/boxes"))("BoxSheet")),
  forgotten: whole(file(() => import("./forgotten/forgotten"))("ForgottenScreen")),
  time: whole(file(() => import("./time/time"))("TimeScreen")),
  games: whole(file(() => import("./lobby/games"))("GamesScreen")),
  past: whole(file(() => import("./lobby/games"))("PastScreen")),
  odds: whole(file(() => import("./odds/odds"))("OddsScreen")),
  story: whole(file(() => import("./story/story"))("StoryScreen")),
  picture: whole(file(() => import("./story/picture"))("PictureScreen")),
  statistics: whole(file(() => import("./records/statistics"))("StatisticsScreen")),
  record: whole(file(() => import("./records/record"))("RecordScreen")),
  export: whole(file(() => import("./records/export"))("ExportScreen")),
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
