/** The result of a game, finished or not: who won, and everybody's numbers. */
import { t } from "../../store/words";
import type { GameView } from "../../wire";
import { Headline } from "../frame/screen";
import { endWords, ranked } from "./ending";
import { IdSign, NumberSign } from "./kit";
import { MonsterTile, Poster } from "./picture";

/** Whether the head is a poster; not where nobody is left. */
export function hasPoster({ ended }: GameView): boolean {
  return ended === null || ended.winners.length > 0;
}

/** The winner's poster; without a winner, that of the active seat. */
export function FinalHead({ now }: { readonly now: GameView }) {
  const winners = now.ended?.winners ?? [];
  const first = now.seats[winners[0] ?? now.active];
  if (now.ended === null)
    return first === undefined ? null : (
      <Poster seat={first} headline={t("head.turn_of", { seat: now.active })} />
    );
  if (first === undefined || winners.length === 0) {
    return (
      <>
        <Headline text={endWords([])} most={64} />
        <p>{t(`over.${now.ended.reason}`, { count: 0 })}</p>
      </>
    );
  }
  return (
    <Poster seat={first} headline={endWords(winners)} state="won" plain>
      <p class="poster-note bold leading-120">
        {t(`over.${now.ended.reason}`, { seat: first.seat, count: first.stars })}
      </p>
    </Poster>
  );
}

/** So many stand in one row; more stand three by three. */
const FEW = 4;

/** Everybody's last numbers, the winners first. */
export function Final({ now }: { readonly now: GameView }) {
  const winners = now.ended?.winners ?? [];
  return (
    <div class={`final grid gap-8 ${now.seats.length > FEW ? "by-three" : ""}`}>
      {ranked(now.seats, now.ended).map((seat) => (
        <div
          key={seat.seat}
          class={`final-seat boxed col items-center gap-5 text-center ${winners.includes(seat.seat) ? "won" : ""}`}
        >
          <MonsterTile monster={seat.monster} size={48} out={!seat.alive} />
          <b>{seat.player}</b>
          <span class="final-stars">
            <NumberSign what="stars" size={20} /> <b class="num">{seat.stars}</b>
          </span>
          <span class="muted">
            {seat.alive ? (
              <>
                <NumberSign what="health" size={16} /> {seat.health}
              </>
            ) : (
              <>
                <IdSign id="skull" size={16} /> {t("over.turn", { turn: seat.died_turn ?? 0 })}
              </>
            )}
          </span>
          <span class="muted">
            <NumberSign what="energy" size={16} /> {seat.energy}
          </span>
        </div>
      ))}
    </div>
  );
}
