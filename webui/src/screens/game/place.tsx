/** Start places, one seat after the other; the host's phone may answer for all. */
import { game, seatOf } from "../../store/table/table";
import { answer } from "../../store/turn/acts";
import { acting } from "../../store/turn/turn";
import { t } from "../../store/words";
import { Headline, Screen } from "../../ui/frame/screen";
import { Heading } from "../../ui/parts/kit";
import { MonsterTile, Shadow } from "../../ui/parts/picture";
import { PlaceCard } from "../../ui/parts/places";
import type { Question } from "../../wire";

export function PlaceScreen({ question }: { readonly question: Question }) {
  const seats = game.value?.seats ?? [];
  const seat = seatOf(acting.value);
  if (seat === null) return null;
  const placed = seats.filter((one) => one.place !== null).length;
  return (
    <Screen
      name="place"
      status={t("lobby.step_named", { step: 2 })}
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
      <div class="tiles two">
        {question.options.map((option) => (
          <PlaceCard
            key={option.key}
            option={option}
            onTap={() => answer(question, seat.seat, option)}
          />
        ))}
      </div>
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
