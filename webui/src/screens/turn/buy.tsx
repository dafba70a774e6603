/** Buy, sweep, end; naming a revealed card; start places. */
import { useEffect, useRef } from "preact/hooks";
import { MonsterTile, Sign } from "../../art";
import { readCardNames } from "../../store/looks";
import { clearTray } from "../../store/proposal";
import { game, seatOf, view } from "../../store/table";
import { isDemo } from "../../store/tray";
import {
  acting,
  choose,
  leaveUnnamed,
  letters,
  putOff,
  setLetters,
  showCard,
} from "../../store/turn";
import { cardName, cardText, printedName, say, t } from "../../store/words";
import { find, otherNames } from "../../ui/cards";
import { Headline, Screen } from "../../ui/frame";
import { Act, Counter, Deltas, Heading, Primary } from "../../ui/kit";
import { HandsStrip, InPlaceOf, Offers } from "../../ui/strips";
import { PlaceCards, Poster, Shadow } from "../../ui/table";
import type { Question, ShopCard } from "../../wire";

/** The answer that declines an open move; sent along when something is bought, swept or ended. */
function staying(question: Question): readonly string[] {
  if (question.key !== "move") return [];
  const stay = question.options.find((option) => option.place === null && option.enabled);
  return stay === undefined ? [] : [stay.key];
}

export function BuyScreen({ question }: { readonly question: Question }) {
  const seat = seatOf(acting.value);
  const shop = game.value?.shop;
  if (seat === null || shop === undefined) return null;
  const moves =
    question.key === "move" ? question.options.filter((option) => option.place !== null) : [];
  const others =
    question.key === "buy"
      ? question.options.filter(
          (option) => option.card === null && option.key !== shop.sweep && option.key !== shop.end,
        )
      : [];
  const before = staying(question);
  const act = (option: string, key: string, card: string | null = null) =>
    choose(
      seat.seat,
      option,
      { key, args: card === null ? { seat: seat.seat } : { seat: seat.seat, card } },
      before.filter((one) => one !== option),
    );
  const end = shop.end ?? before[0];
  return (
    <Screen
      name="buy"
      poster
      status={t("status.buy", { turn: game.value?.turn ?? 0 })}
      head={
        <Poster
          seat={seat}
          headline={t(moves.length > 0 ? "head.move_or_buy" : "head.buy")}
          state="buy"
        >
          <p class="purse row gap-10 rounded on-ink semibold pad-8-12">
            <Sign name="energy" size={30} meaning />
            <Counter value={seat.energy} class="purse-count" />
            <span>{t("buy.purse", { count: seat.energy })}</span>
          </p>
        </Poster>
      }
      dock={
        <Primary
          text={t("buy.end")}
          onTap={end === undefined ? undefined : () => act(end, "act.end")}
        />
      }
    >
      {moves.length > 0 && (
        <>
          <Heading text={t("move.to")} note={t("move.or_stay")} />
          <PlaceCards question={question} seat={seat.seat} options={moves} />
        </>
      )}
      {shop.cards.map((card, slot) => (
        <ShopRow
          key={card.card ?? `empty${slot}`}
          card={card}
          onBuy={(option) => act(option, "act.buy", card.name)}
        />
      ))}
      {others.map((option) => (
        <Act
          key={option.key}
          answer={option.key}
          disabled={!option.enabled}
          onTap={() => choose(seat.seat, option.key, option.label, before)}
        >
          {say(option.label)}
        </Act>
      ))}
      {shop.sweep !== null && (
        <Act answer={shop.sweep} onTap={() => act(shop.sweep ?? "", "act.sweep")}>
          <Sign name="sweep" size={24} /> {t("buy.sweep", { count: shop.sweep_cost })}
        </Act>
      )}
      {isDemo.value && view.value?.tray.state !== "empty" && (
        <Act sign="hand" text={t("demo.clear")} onTap={() => void clearTray()} />
      )}
      <HandsStrip />
      <Offers />
      <InPlaceOf />
    </Screen>
  );
}

function ShopRow({ card, onBuy }: { card: ShopCard; onBuy: (option: string) => void }) {
  if (card.card === null || card.name === null) {
    return <div class="shop-card edged flex overflow-hidden empty">{t("buy.unnamed")}</div>;
  }
  const { option } = card;
  const printed = printedName(card.name);
  const can = option !== null && card.affordable && card.forbidden === null;
  return (
    <div class={`shop-card edged flex overflow-hidden ${can ? "can" : ""}`}>
      <span class="shop-cost col items-center gap-4 rigid on-raised">
        <Sign name="energy" size={20} />
        <b class="num">{card.cost}</b>
        {card.base_cost !== card.cost && <s class="num">{card.base_cost}</s>}
      </span>
      <div class="pad-8-12 col gap-4 grow leading-125">
        <p class="row-between">
          <b class="text-18 min-0">
            {cardName(card.name)}
            {printed !== null && <small class="muted"> {printed}</small>}
          </b>
          {card.kind !== null && <small class="muted">{t(`kind.${card.kind}`)}</small>}
        </p>
        <div class="flex wrap items-end gap-8">
          <div class="shop-effect">
            {cardText(card.name)}{" "}
            <Deltas
              changes={card.consequence.filter(
                (change) => change.what !== "energy" || change.after > change.before,
              )}
              size={16}
            />
            {card.base_cost > card.cost && card.district !== null && (
              <p class="muted small">{t("buy.less", { count: card.base_cost - card.cost })}</p>
            )}
            {!card.automatic && <p class="sky small">{t("card.by_table")}</p>}
          </div>
          {card.forbidden !== null ? (
            <span class="muted small to-end">{say(card.forbidden)}</span>
          ) : can ? (
            <Act
              class="buy edge-go to-end"
              answer={option}
              onTap={() => onBuy(option)}
              label={t("buy.one", { card: card.name })}
            >
              {t("buy")}
            </Act>
          ) : card.short > 0 ? (
            <span class="muted to-end">
              <Sign name="energy" size={16} /> {t("buy.short", { count: card.short })}
            </span>
          ) : null}
        </div>
      </div>
    </div>
  );
}

const MOST = 4;

/** Naming a revealed card: its name, cost or effect, or the list of all; the keyboard stays open for the next. */
export function CardScreen({ question }: { readonly question: Question }) {
  const seat = seatOf(acting.value);
  const typed = letters.value.trim() !== "";
  const all = find(question.nameable, letters.value);
  const byEffect = all[0]?.named === false;
  const found = all.slice(0, typed && !byEffect ? MOST : undefined);
  // The newest name that no card here has yet; taking back its letters keeps it.
  const unknown = useRef("");
  if (typed && all.length === 0 && !unknown.current.startsWith(letters.value))
    unknown.current = letters.value;
  const tie = byEffect ? unknown.current.trim() : "";
  useEffect(() => void readCardNames(), []);
  const pick = (card: string) => {
    if (tie !== "") void readCardNames({ card, name: tie });
    unknown.current = "";
    showCard(card);
  };
  const slots = game.value?.shop.cards ?? [];
  const count = slots.filter((slot) => slot.card !== null).length + 1;
  const headline =
    game.value?.turn === 0 ? t("head.cards", { all: slots.length, count }) : t("head.card");
  return (
    <Screen
      name="new-card"
      status={t("status.buy", { turn: game.value?.turn ?? 0 })}
      head={
        <>
          {seat !== null && <Shadow monster={seat.monster} />}
          <Headline text={headline} room={270} most={50} />
          <p class="beside-shadow">{say(question.prompt)}</p>
        </>
      }
    >
      <label class="search relative">
        <Sign name="search" size={24} class="muted" />
        <input
          type="search"
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          enterkeyhint="done"
          placeholder={t("card.type")}
          aria-label={t("card.type")}
          value={letters.value}
          onInput={(event) => setLetters(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && typed && found[0] !== undefined) pick(found[0].card.name);
          }}
        />
      </label>
      <div class="two">
        {question.skippable && <Act text={t("reveal.later")} onTap={putOff} />}
        {question.secret && <Act text={t("choice.peeked.pass")} onTap={leaveUnnamed} />}
        <Act text={t("card.deck_empty")} onTap={() => showCard(null)} />
      </div>
      {/* The field keeps the focus: a button that took it would close the keyboard. */}
      <div
        class="suggestions col gap-8"
        role="group"
        aria-label={t("card.type")}
        onMouseDown={(event) => event.preventDefault()}
      >
        {tie !== "" && <p class="sky small">{t("card.tie", { name: tie })}</p>}
        {found.map(({ card: { name, cost } }, at) => (
          <Act
            key={name}
            class={`suggestion justify-between text-left ${typed && at === 0 ? "chosen" : ""}`}
            answer={name}
            onTap={() => pick(name)}
          >
            <span>
              <b>{cardName(name)}</b>
              <small class="muted regular">
                {[...otherNames(name), cardText(name)].join(" · ")}
              </small>
            </span>
            <span class="inline-row gap-4">
              {cost} <Sign name="energy" size={18} meaning />
            </span>
          </Act>
        ))}
        {found.length === 0 && <p class="muted">{t("card.unknown")}</p>}
      </div>
      <InPlaceOf />
    </Screen>
  );
}

export function PlaceScreen({ question }: { readonly question: Question }) {
  const seats = game.value?.seats ?? [];
  const seat = seatOf(acting.value);
  if (seat === null) return null;
  const placed = seats.filter((one) => one.place !== null).length;
  return (
    <Screen
      name="place"
      status={t("status.setup")}
      head={
        <>
          <Shadow monster={seat.monster} />
          <Headline text={t("head.place", { seat: seat.seat })} room={250} lines={3} most={54} />
          <p class="beside-shadow">{t("place.how")}</p>
        </>
      }
    >
      <Heading
        text={t("place.next", { seat: seat.seat })}
        note={t("place.turn", { count: placed + 1, all: seats.length })}
      />
      <PlaceCards question={question} seat={seat.seat} options={question.options} />
      <div class="starters grid gap-8">
        {seats.map((one) => (
          <span key={one.seat} class={one.seat === seat.seat ? "starter chosen" : "starter"}>
            <MonsterTile monster={one.monster} size={48} />
            <b>{one.player}</b>
            <small class="muted">
              {one.place === null ? t("place.none_yet") : t(`place.${one.place}`)}
            </small>
          </span>
        ))}
      </div>
    </Screen>
  );
}
