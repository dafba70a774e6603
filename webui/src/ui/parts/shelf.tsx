/** A Monster's cards and tokens, and its last roll. */
import { DieArt, Sign } from "../../art";
import { game, you } from "../../store/table/table";
import { cardName, cardText, explained, t } from "../../store/words";
import type { CardView, SeatView } from "../../wire";
import { earlier } from "../frame/news";
import { IdSign } from "./kit";

export function CardShelf({ seat }: { readonly seat: SeatView }) {
  if (seat.cards.length === 0 && seat.tokens.length === 0 && seat.trophies.length === 0) {
    return (
      <div class="shelf boxed col gap-10 empty">
        <Sign name="cards" size={30} class="muted" />
        <span>
          <b>{t("shelf.none")}</b>
          <br />
          <small class="muted">{t("shelf.none_how")}</small>
        </span>
      </div>
    );
  }
  return (
    <div class="shelf boxed col gap-10">
      {seat.tokens.length > 0 && (
        <p class="flex wrap gap-6">
          {seat.tokens.map((token) => (
            <span key={token.kind} class="chip">
              <IdSign id={token.kind} size={18} /> {t(`token.${token.kind}`)} {token.count}
            </span>
          ))}
        </p>
      )}
      {seat.trophies.length > 0 && (
        <p class="flex wrap gap-6">
          <small class="muted">{t("shelf.trophies")}</small>
          {seat.trophies.map((unit) => (
            <span key={unit.kind} class="chip">
              <IdSign id={unit.kind} size={18} /> {t(`tile.${unit.kind}`)} {unit.count}
            </span>
          ))}
        </p>
      )}
      {seat.cards.map((card) => (
        <CardLine key={card.id} card={card} />
      ))}
    </div>
  );
}

/** A card's name and effect, marked where the engine does not carry it out. */
export function CardLine({ card }: { readonly card: CardView }) {
  return (
    <div class={`card-line flex gap-10 ${card.automatic ? "" : "by-table"}`}>
      <Sign
        name={card.automatic ? "cards" : "hand"}
        size={22}
        class={card.automatic ? "muted" : "sky"}
      />
      <span>
        <b>{cardName(card.name)}</b>
        {card.copies !== null && (
          <span class="muted"> {t("card.copies", { card: card.copies })}</span>
        )}
        {card.counters > 0 && (
          <span class="chip">{t("card.counters", { count: card.counters })}</span>
        )}
        <br />
        <small class="muted">{cardText(card.name)}</small>
        {!card.automatic && (
          <>
            <br />
            <small class="sky">{t("card.by_table")}</small>
          </>
        )}
      </span>
    </div>
  );
}

export function LastRoll() {
  const now = game.value;
  if (now === null || now.last_roll.length === 0 || now.last_roll_seat === null) return null;
  const seat = now.last_roll_seat;
  return (
    <div class="panel last-roll">
      <p class="row-between">
        <b>{t(seat === you.value.seat ? "last_roll.you" : "last_roll.of", { seat })}</b>
      </p>
      <p
        class="dice-row flex wrap gap-8"
        role="img"
        aria-label={now.last_roll.map((face) => t(`face.${face}`)).join(", ")}
      >
        {now.last_roll.map((face, index) => (
          <DieArt key={index} face={face} size={44} />
        ))}
      </p>
      {earlier().map((one, index) => (
        <p key={index} class="small">
          {explained(one)}
        </p>
      ))}
    </div>
  );
}
