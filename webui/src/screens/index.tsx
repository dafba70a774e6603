/**
 * The table of screens and sheets: one row each, with the condition for showing it and the file it is in. A new
 * screen is a row and its file; the subject of a new sheet is in `store/phone/route.ts`.
 */
import type { JSX } from "preact";
import { type Sheet, type SheetOf, sheet, tab } from "../store/phone/route";
import { showStale } from "../store/phone/stale";
import { score } from "../store/table/games";
import { justWatch, seatPicking } from "../store/table/seat";
import { game, line, stranger, update, view, you } from "../store/table/table";
import { activeProposal } from "../store/turn/throw";
import { acting, byHand } from "../store/turn/turn";
import { Covered } from "../ui/frame/screen";
import type { Question } from "../wire";
import { Opening } from "./opening";
import { part } from "./part";
import { firstOf, over, type Row, row, type SheetRow, whole } from "./rows";

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

/** Screens that are shown whatever is open, with nothing over them. */
const ALONE: readonly Row[] = [
  row(
    "stranger",
    part(() => import("./lobby/join"), "StrangerScreen"),
    () => shownIf(stranger.value),
  ),
  row(
    "no-line",
    part(() => import("./turn/line"), "NoLine"),
    () => shownIf(line.value === "lost" && !showStale.value),
  ),
  row("opening", Opening, () => shownIf(update.value === null)),
  row(
    "score",
    part(() => import("./game/over"), "ScoreScreen"),
    () => (score.value === null ? null : { now: score.value }),
  ),
];

/** The screens, by priority; the last ones, of a turn, are loaded first. */
const SCREENS: readonly Row[] = [
  row(
    "asking",
    part(() => import("./lobby/seat"), "AskingScreen"),
    () => (choosesSeat() && you.value.asks !== null ? { seat: you.value.asks } : null),
  ),
  row(
    "pick-seat",
    part(() => import("./lobby/seat"), "SeatScreen"),
    () => shownIf(choosesSeat()),
  ),
  row(
    "more",
    part(() => import("./game/more"), "MoreScreen"),
    () => shownIf(tab.value === "more"),
  ),
  row(
    "lobby",
    part(() => import("./lobby/lobby"), "LobbyScreen"),
    () => shownIf(game.value === null && view.value?.lobby != null),
  ),
  row(
    "table",
    part(() => import("./game/table"), "TableScreen"),
    () => shownIf(tab.value === "table"),
  ),
  row(
    "log",
    part(() => import("./game/log"), "LogScreen"),
    () => shownIf(tab.value === "log"),
  ),
  row("opening", Opening, () => shownIf(game.value === null)),
  row(
    "over",
    part(() => import("./game/over"), "OverScreen"),
    () => shownIf(game.value?.ended != null),
  ),
  row(
    "waiting",
    part(() => import("./turn/monster"), "Waiting"),
    () => shownIf(game.value?.question == null || acting.value === null),
  ),
  row(
    "proposal",
    part(() => import("./turn/roll"), "ProposalScreen"),
    () => {
      const found = asked("roll");
      return found === null || activeProposal.value === null
        ? null
        : { ...found, proposal: activeProposal.value };
    },
  ),
  row(
    "again",
    part(() => import("./turn/again"), "AgainScreen"),
    () => {
      const found = asked("roll");
      return found !== null && found.question.showing.length > 0 ? found : null;
    },
  ),
  row(
    "my-turn",
    part(() => import("./turn/monster"), "MyTurn"),
    () => (camera("ok", "starting") && !byHand.value ? asked("roll") : null),
  ),
  row(
    "by-hand",
    part(() => import("./turn/roll"), "ByHandScreen"),
    () => {
      const found = asked("roll");
      return found === null ? null : { ...found, lost: camera("lost", "ended") };
    },
  ),
  row(
    "card",
    part(() => import("./turn/buy"), "CardScreen"),
    () => asked("reveal_card"),
  ),
  row(
    "tile",
    part(() => import("./turn/destroy"), "TileScreen"),
    () => asked("reveal_tile"),
  ),
  row(
    "destroy",
    part(() => import("./turn/destroy"), "DestroyScreen"),
    () => choice(({ options }) => options.some((option) => option.tile !== null)),
  ),
  row(
    "buy",
    part(() => import("./turn/buy"), "BuyScreen"),
    () => choice(({ key }) => key === "buy" || key === "move"),
  ),
  row(
    "flee",
    part(() => import("./turn/answer"), "FleeScreen"),
    () => choice(({ window }) => window === "flee"),
  ),
  row(
    "place",
    part(() => import("./game/place"), "PlaceScreen"),
    () => choice(({ window }) => window === "place"),
  ),
  row(
    "order",
    part(() => import("./game/order"), "OrderScreen"),
    () => choice(isOrder),
  ),
  row(
    "rethrow",
    part(() => import("./turn/offers/offers"), "RethrowScreen"),
    () => choice(({ odds }) => odds.length > 0),
  ),
  row(
    "last-chance",
    part(() => import("./turn/offers/offers"), "LastChanceScreen"),
    () => choice(({ window, options }) => window === "hurt" && options.some((one) => one.out)),
  ),
  row(
    "choice",
    part(() => import("./turn/answer"), "ChoiceScreen"),
    () => asked("choice"),
  ),
];

/** The sheets, by the kind of their route. */
const SHEETS: { readonly [K in Sheet["kind"]]: SheetRow<Omit<SheetOf<K>, "kind">> } = {
  die: over(part(() => import("./turn/die"), "DieSheet")),
  answer: over(part(() => import("./turn/answer"), "AnswerForSheet")),
  ahead: over(part(() => import("./turn/ahead"), "AheadSheet")),
  number: over(part(() => import("./numbers/number"), "NumberSheet")),
  conflict: whole(part(() => import("./numbers/conflict"), "ConflictScreen")),
  clause: over(part(() => import("./game/clause"), "ClauseSheet")),
  player: over(part(() => import("./game/table"), "PlayerSheet")),
  place: over(part(() => import("./game/table"), "PlaceSheet")),
  share: over(part(() => import("./phone/share"), "ShareSheet")),
  "text-size": over(part(() => import("./phone/text-size"), "TextSizeSheet")),
  unstart: over(part(() => import("./game/unstart"), "UnstartSheet")),
  "new-game": over(part(() => import("./lobby/games"), "NewGameSheet")),
  take: over(part(() => import("./lobby/seat"), "TakeSheet")),
  seat: over(part(() => import("./lobby/lobby"), "SeatSheet")),
  person: over(part(() => import("./lobby/people"), "PersonSheet")),
  host: over(part(() => import("./lobby/people"), "HostSheet")),
  hands: whole(part(() => import("./game/hands"), "HandsScreen")),
  tops: whole(part(() => import("./turn/destroy"), "TopsScreen")),
  misread: whole(part(() => import("./turn/misread"), "MisreadScreen")),
  order: whole(part(() => import("./game/order"), "OrderScreen")),
  qr: whole(part(() => import("./lobby/join"), "QrScreen")),
  people: whole(part(() => import("./lobby/people"), "PeopleScreen")),
  tv: whole(part(() => import("./lobby/viewers"), "ViewersScreen")),
  "table-page": whole(part(() => import("./game/table-page"), "TablePage")),
  camera: whole(part(() => import("./setup/setup"), "SetupScreen")),
  box: over(part(() => import("./setup/boxes"), "BoxSheet")),
  forgotten: whole(part(() => import("./forgotten/forgotten"), "ForgottenScreen")),
  time: whole(part(() => import("./time/time"), "TimeScreen")),
  games: whole(part(() => import("./lobby/games"), "GamesScreen")),
  past: whole(part(() => import("./lobby/games"), "PastScreen")),
  odds: whole(part(() => import("./odds/odds"), "OddsScreen")),
  story: whole(part(() => import("./story/story"), "StoryScreen")),
  picture: whole(part(() => import("./story/picture"), "PictureScreen")),
  statistics: whole(part(() => import("./records/statistics"), "StatisticsScreen")),
  record: whole(part(() => import("./records/record"), "RecordScreen")),
  export: whole(part(() => import("./records/export"), "ExportScreen")),
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
