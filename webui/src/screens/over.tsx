/** Game over: who won, and everybody's last numbers. */
import { send } from "../store/outbox";
import { game, names, seatOf, you } from "../store/table";
import { Act, IdSign, NumberSign, Primary } from "../ui/kit";
import { MonsterTile, Poster } from "../ui/picture";
import { Headline, Screen } from "../ui/screen";
import { go } from "../store/route";
import { t } from "../words";
import type { GameView } from "../wire";

export function OverScreen() {
  const now = game.value;
  if (now?.ended == null) return null;
  const winners = now.ended.winners;
  const first = seatOf(winners[0] ?? null);
  const headline =
    winners.length === 0 ? t("head.nobody") : winners.length === 1 ? t("head.wins", { monster: winners[0] ?? 0 }) : t("head.share", { names: winners.map(names.monster).join(" + ") });
  const ranked = [...now.seats].sort((a, b) => Number(winners.includes(b.seat)) - Number(winners.includes(a.seat)) || Number(b.alive) - Number(a.alive) || b.stars - a.stars || (b.died_turn ?? 0) - (a.died_turn ?? 0));
  return (
    <Screen
      name="game-over"
      poster={first !== null}
      status={t("status.turn", { turn: now.turn })}
      head={
        first === null ? (
          <>
            <Headline text={headline} most={64} />
            <p>{t(`over.${now.ended.reason}`, { count: 0 })}</p>
          </>
        ) : (
          <Poster seat={first} headline={headline} state="won" plain>
            <p class="poster-note">{t(`over.${now.ended.reason}`, { seat: first.seat, count: first.stars })}</p>
          </Poster>
        )
      }
      dock={
        you.value.role === "host" ? (
          <Primary text={t("over.again")} onTap={() => playAgain(now)} />
        ) : (
          <Act class="wide-act" onTap={() => go("log")}>
            {t("over.log")}
          </Act>
        )
      }
    >
      <div class="final">
        {ranked.map((seat) => (
          <div key={seat.seat} class={winners.includes(seat.seat) ? "final-seat won" : "final-seat"}>
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
    </Screen>
  );
}

/** The same seats, set again; who starts is asked as before. */
function playAgain({ game, edition, house, seats }: GameView): void {
  send({ key: "act.again", args: {} }, [
    { type: "TableSet", game, edition, house, seats: seats.map(({ player, monster }) => ({ player, monster })) },
  ]);
}
