/** Which screen: by who this phone is, what is asked, and what the camera sees. */

import { lookAnyway } from "./store/look";
import { score } from "./store/past";
import { type Sheet, sheet, tab } from "./store/route";
import { justWatch, seatPicking } from "./store/seat";
import { game, line, stranger, update, view, you } from "./store/table";
import { seen } from "./store/throw";
import { acting, byHand } from "./store/turn";
import { t, wordsReady } from "./store/words";
import { lazy } from "./ui/lazy";
import { Screen } from "./ui/screen";
import type { Question } from "./wire";

const play = () => import("./screens/play");
const rest = () => import("./screens/rest");
const AgainScreen = lazy(() => play().then((part) => part.AgainScreen));
const ChoiceScreen = lazy(() => play().then((part) => part.ChoiceScreen));
const FleeScreen = lazy(() => play().then((part) => part.FleeScreen));
const AnswerForSheet = lazy(() => play().then((part) => part.AnswerForSheet));
const BuyScreen = lazy(() => play().then((part) => part.BuyScreen));
const CardScreen = lazy(() => play().then((part) => part.CardScreen));
const DestroyScreen = lazy(() => play().then((part) => part.DestroyScreen));
const TileScreen = lazy(() => play().then((part) => part.TileScreen));
const DieSheet = lazy(() => play().then((part) => part.DieSheet));
const NoLine = lazy(() => play().then((part) => part.NoLine));
const MyTurn = lazy(() => play().then((part) => part.MyTurn));
const Waiting = lazy(() => play().then((part) => part.Waiting));
const AheadSheet = lazy(() => play().then((part) => part.AheadSheet));
const NumberSheet = lazy(() => play().then((part) => part.NumberSheet));
const ByHandScreen = lazy(() => play().then((part) => part.ByHandScreen));
const ProposalScreen = lazy(() => play().then((part) => part.ProposalScreen));
const ClauseSheet = lazy(() => rest().then((part) => part.ClauseSheet));
const HandsScreen = lazy(() => rest().then((part) => part.HandsScreen));
const QrScreen = lazy(() => rest().then((part) => part.QrScreen));
const AskingScreen = lazy(() => rest().then((part) => part.AskingScreen));
const HostSheet = lazy(() => rest().then((part) => part.HostSheet));
const PeopleScreen = lazy(() => rest().then((part) => part.PeopleScreen));
const PersonSheet = lazy(() => rest().then((part) => part.PersonSheet));
const UnstartSheet = lazy(() => rest().then((part) => part.UnstartSheet));
const TakeSheet = lazy(() => rest().then((part) => part.TakeSheet));
const SeatScreen = lazy(() => rest().then((part) => part.SeatScreen));
const StrangerScreen = lazy(() => rest().then((part) => part.StrangerScreen));
const LobbyScreen = lazy(() => rest().then((part) => part.LobbyScreen));
const SeatSheet = lazy(() => rest().then((part) => part.SeatSheet));
const LogScreen = lazy(() => rest().then((part) => part.LogScreen));
const MoreScreen = lazy(() => rest().then((part) => part.MoreScreen));
const OrderScreen = lazy(() => rest().then((part) => part.OrderScreen));
const GamesScreen = lazy(() => rest().then((part) => part.GamesScreen));
const NewGameSheet = lazy(() => rest().then((part) => part.NewGameSheet));
const PastScreen = lazy(() => rest().then((part) => part.PastScreen));
const ScoreScreen = lazy(() => rest().then((part) => part.ScoreScreen));
const OverScreen = lazy(() => rest().then((part) => part.OverScreen));
const PlaceScreen = lazy(() => rest().then((part) => part.PlaceScreen));
const PlaceSheet = lazy(() => rest().then((part) => part.PlaceSheet));
const PlayerSheet = lazy(() => rest().then((part) => part.PlayerSheet));
const TableScreen = lazy(() => rest().then((part) => part.TableScreen));

export function App() {
  if (!wordsReady()) return <Opening />;
  if (stranger.value) return <StrangerScreen />;
  if (line.value === "lost" && !lookAnyway.value) return <NoLine />;
  if (update.value === null) return <Opening />;
  if (score.value !== null) return <ScoreScreen now={score.value} />;
  const open = sheet.value;
  if (open?.kind === "qr") return <QrScreen />;
  if (open?.kind === "people") return <PeopleScreen />;
  if (open?.kind === "games") return <GamesScreen />;
  if (open?.kind === "past") return <PastScreen id={open.id} />;
  if (open?.kind === "hands") return <HandsScreen />;
  if (open?.kind === "order") return <OrderScreen />;
  return (
    <>
      <TabScreen />
      {open !== null && <SheetOf sheet={open} />}
    </>
  );
}

/** Nothing heard yet: the frame stands, so that nothing jumps when the table answers. */
function Opening() {
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

function TabScreen() {
  const seated = you.value.seat !== null;
  const host = you.value.role === "host";
  const chooses =
    seatPicking.value || (!seated && !justWatch.value && (!host || game.value !== null));
  if (chooses && (tab.value === "monster" || game.value === null)) {
    const { asks } = you.value;
    return asks === null ? <SeatScreen /> : <AskingScreen seat={asks} />;
  }
  if (view.value?.lobby && game.value === null)
    return tab.value === "more" ? <MoreScreen /> : <LobbyScreen />;
  switch (tab.value) {
    case "monster":
      return <MonsterTab />;
    case "table":
      return <TableScreen />;
    case "log":
      return <LogScreen />;
    case "more":
      return <MoreScreen />;
  }
}

function MonsterTab() {
  const now = game.value;
  if (now === null) return <Opening />;
  if (now.ended !== null) return <OverScreen />;
  if (now.question === null || acting.value === null) return <Waiting />;
  return <Asked question={now.question} />;
}

function Asked({ question }: { readonly question: Question }) {
  switch (question.kind) {
    case "roll":
      return <Rolling question={question} />;
    case "reveal_card":
      return <CardScreen question={question} />;
    case "reveal_tile":
      return <TileScreen question={question} />;
    case "choice":
      return <Chosen question={question} />;
  }
}

function Rolling({ question }: { readonly question: Question }) {
  const tray = view.value?.tray;
  const lost = tray?.camera === "lost" || tray?.camera === "ended";
  const proposal = seen.value;
  if (proposal !== null) return <ProposalScreen question={question} proposal={proposal} />;
  if (question.showing.length > 0) return <AgainScreen question={question} />;
  const watching = tray?.camera === "ok" || tray?.camera === "starting";
  if (watching && !byHand.value) return <MyTurn question={question} />;
  return <ByHandScreen question={question} lost={lost} />;
}

function Chosen({ question }: { readonly question: Question }) {
  const { options } = question;
  if (options.some((option) => option.tile !== null)) return <DestroyScreen question={question} />;
  if (question.key === "buy" || question.key === "move") return <BuyScreen question={question} />;
  if (question.window === "flee") return <FleeScreen question={question} />;
  if (question.window === "place") return <PlaceScreen question={question} />;
  if (
    options.length > 1 &&
    options.every((option) => option.face !== null) &&
    question.key === "group"
  )
    return <OrderScreen question={question} />;
  return <ChoiceScreen question={question} />;
}

function SheetOf({ sheet: open }: { readonly sheet: Sheet }) {
  switch (open.kind) {
    case "die":
      return <DieSheet proposal={open.proposal} index={open.index} />;
    case "clause":
      return <ClauseSheet id={open.id} />;
    case "answer":
      return <AnswerForSheet question={open.question} />;
    case "ahead":
      return <AheadSheet seat={open.seat} />;
    case "number":
      return <NumberSheet seat={open.seat} what={open.what} />;
    case "player":
      return <PlayerSheet seat={open.seat} />;
    case "take":
      return <TakeSheet seat={open.seat} />;
    case "person":
      return <PersonSheet id={open.id} />;
    case "new-game":
      return <NewGameSheet />;
    case "unstart":
      return <UnstartSheet seq={open.seq} />;
    case "host":
      return <HostSheet />;
    case "place":
      return <PlaceSheet area={open.area} />;
    case "seat":
      return <SeatSheet index={open.index} />;
    default:
      return null;
  }
}
