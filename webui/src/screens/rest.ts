/** The screens around a turn: fetched while the phone is idle. */
export { ClauseSheet } from "./clause";
export { GamesScreen, NewGameSheet, PastScreen } from "./games";
export { HandsScreen } from "./hands";
export { QrScreen, StrangerScreen } from "./join";
export { LobbyScreen, SeatSheet } from "./lobby";
export { LogScreen } from "./log";
export { MoreScreen } from "./more";
export { OrderScreen } from "./order";
export { OverScreen, ScoreScreen } from "./over";
export { HostSheet, PeopleScreen, PersonSheet } from "./people";
export { PlaceScreen } from "./place";
export { AskingScreen, SeatScreen, TakeSheet } from "./seat";
export { PlaceSheet, PlayerSheet, TableScreen } from "./table";
export { UnstartSheet } from "./unstart";
