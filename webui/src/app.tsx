/** Which screen: by who this phone is, what is asked, and what the camera sees. */
import { lookAnyway, NoLine } from "./screens/line";
import { ChoiceScreen, FleeScreen } from "./screens/answer";
import { BuyScreen, CardScreen } from "./screens/buy";
import { DestroyScreen, TileScreen } from "./screens/destroy";
import { DieSheet } from "./screens/die";
import { HandsScreen } from "./screens/hands";
import { justWatch, QrScreen, SeatScreen, StrangerScreen } from "./screens/join";
import { LobbyScreen, SeatSheet } from "./screens/lobby";
import { LogScreen } from "./screens/log";
import { MoreScreen } from "./screens/more";
import { MyTurn, Waiting } from "./screens/monster";
import { NumberSheet } from "./screens/number";
import { OrderScreen } from "./screens/order";
import { OverScreen } from "./screens/over";
import { PlaceScreen } from "./screens/place";
import { ByHandScreen, ProposalScreen } from "./screens/roll";
import { PlaceSheet, PlayerSheet, TableScreen } from "./screens/table";
import { seatPicking } from "./store/seat";
import { sheet, tab, type Sheet } from "./store/route";
import { game, line, stranger, update, view, you } from "./store/table";
import { acting, byHand } from "./store/turn";
import { Screen } from "./ui/screen";
import { t, wordsReady } from "./words";
import type { Question } from "./wire";

export function App() {
  if (!wordsReady()) return <Opening />;
  if (stranger.value) return <StrangerScreen />;
  if (line.value === "lost" && !lookAnyway.value) return <NoLine />;
  if (update.value === null) return <Opening />;
  const open = sheet.value;
  if (open?.kind === "qr") return <QrScreen />;
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
  return <Screen name="opening" head={<h1 id="headline" class="headline">{wordsReady() ? t("title") : "Monster Table"}</h1>} tabs={false} />;
}

function TabScreen() {
  const seated = you.value.seat !== null;
  const host = you.value.role === "host";
  if (seatPicking.value || (!seated && !justWatch.value && (!host || game.value !== null))) return <SeatScreen />;
  if (view.value?.lobby && game.value === null) return tab.value === "more" ? <MoreScreen /> : <LobbyScreen />;
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
  const proposal = tray?.proposal ?? null;
  if (!byHand.value && proposal !== null) return <ProposalScreen question={question} proposal={proposal} />;
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
  if (options.length > 1 && options.every((option) => option.face !== null) && question.key === "group") return <OrderScreen question={question} />;
  return <ChoiceScreen question={question} />;
}

function SheetOf({ sheet: open }: { readonly sheet: Sheet }) {
  switch (open.kind) {
    case "die":
      return <DieSheet proposal={open.proposal} index={open.index} />;
    case "number":
      return <NumberSheet seat={open.seat} what={open.what} />;
    case "player":
      return <PlayerSheet seat={open.seat} />;
    case "place":
      return <PlaceSheet area={open.area} />;
    case "seat":
      return <SeatSheet index={open.index} />;
    default:
      return null;
  }
}
