/** The screens of a turn: one part of the page, fetched at once after the frame. */
export { AgainScreen } from "./again";
export { AheadSheet } from "./ahead";
export { AnswerForSheet, ChoiceScreen, FleeScreen } from "./answer";
export { BuyScreen, CardScreen } from "./buy";
export { DestroyScreen, TileScreen } from "./destroy";
export { DieSheet } from "./die";
export { NoLine } from "./line";
export { MyTurn, Waiting } from "./monster";
export { NumberSheet } from "./number";
export { ByHandScreen, ProposalScreen } from "./roll";
