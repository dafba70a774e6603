/** Dice: as the camera has read them, else as they were rolled last. */
import { DieArt, isSign } from "../../art";
import { names } from "../../store/tv/screen";
import { t } from "../../store/words";
import type { Face, GameView, Tray } from "../../wire";

interface ShownDie {
  readonly face: Face | null;
  readonly colour: "black" | "green";
  readonly sure: boolean;
}

export interface ShownDice {
  readonly title: string;
  readonly dice: readonly ShownDie[];
}

/** The dice to show with the words above them; null where nothing was rolled yet. */
export function diceOf(game: GameView, tray: Tray): ShownDice | null {
  const read = tray.camera === "ok" ? tray.proposal : null;
  if (read !== null) {
    const dice = read.dice.map(({ face, colour, sure }) => ({
      face,
      colour: colourOf(colour),
      sure,
    }));
    return { title: t("tv.read"), dice };
  }
  const question = game.question;
  if (question?.kind === "roll" && question.showing.length > 0) {
    return { title: t("tv.rolled", { seat: game.active }), dice: question.showing.map(plain) };
  }
  if (game.last_roll.length === 0) return null;
  const seat = game.last_roll_seat ?? game.active;
  const key = seat === game.active ? "tv.rolled" : "tv.rolled_before";
  return { title: t(key, { seat }), dice: game.last_roll.map(plain) };
}

function plain(face: Face): ShownDie {
  return { face, colour: "black", sure: true };
}

function colourOf(colour: string): "black" | "green" {
  return colour === "green" ? "green" : "black";
}

export function DiceRow({ shown, size }: { readonly shown: ShownDice; readonly size: number }) {
  return (
    <div class="dice-row" role="img" aria-label={spokenDice(shown)}>
      {shown.dice.map((die, index) => (
        <Die key={index} die={die} size={size} />
      ))}
    </div>
  );
}

function Die({
  die: { face, colour, sure },
  size,
}: {
  readonly die: ShownDie;
  readonly size: number;
}) {
  const doubtful = !sure || face === null;
  return (
    <span class={doubtful ? "tv-die doubtful" : "tv-die"}>
      {face !== null && isSign(face) ? (
        <DieArt face={face} colour={colour} size={size} />
      ) : (
        <span class="unknown num">?</span>
      )}
    </span>
  );
}

function spokenDice({ title, dice }: ShownDice): string {
  const faces = dice.map(({ face }) => (face === null ? t("die.unknown") : t(`face.${face}`)));
  return `${title}: ${faces.join(", ")}`;
}

/** Return whose dice are shown, for a screen reader. */
export function rollerOf(game: GameView): string {
  return names.player(game.last_roll_seat ?? game.active);
}
