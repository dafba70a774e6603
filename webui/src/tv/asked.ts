/** What is asked, in the words that stand largest on the screen. */
import { say, t } from "../store/words";
import type { GameView } from "../wire";

export interface Asked {
  readonly headline: string;
  /** The seat that it is about. */
  readonly seat: number;
  /** Whether another seat than the active one has to answer. */
  readonly other: boolean;
  /** Where it is answered; null where the table answers. */
  readonly note: string | null;
}

/** Return what the table waits for. */
export function askedOf(game: GameView): Asked {
  const question = game.question;
  const seat = question?.seat ?? game.active;
  const other = seat !== game.active;
  const note = question?.kind === "choice" ? t("tv.answer_on", { seat }) : null;
  return { headline: headlineOf(game, seat), seat, other, note };
}

function headlineOf(game: GameView, seat: number): string {
  const question = game.question;
  if (question === null) return t("head.turn_of", { seat: game.active });
  switch (question.kind) {
    case "roll":
      return question.main ? t("tv.rolls", { seat }) : say(question.prompt);
    case "reveal_card":
      return t("head.card");
    case "reveal_tile":
      return t("head.tile");
    case "choice":
      if (question.window === "flee") return t(onlyOneOutside(game) ? "head.yield" : "head.flee");
      if (question.window === "place") return t("head.place", { seat });
      if (question.key === "buy" || question.key === "move") return t("tv.buys", { seat });
      return say(question.prompt);
  }
}

/** Whether who leaves the city has one place to go, so that it yields. */
function onlyOneOutside(game: GameView): boolean {
  return game.places.filter((place) => !place.inside).length === 1;
}
