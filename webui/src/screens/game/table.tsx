/** The table: the map with everybody on it, then a row for each seat. */
import { Sign } from "../../art";
import { openSheet } from "../../store/phone/route";
import { game, names, seatOf } from "../../store/table/table";
import { t } from "../../store/words";
import { Screen } from "../../ui/frame/screen";
import { SheetFrame } from "../../ui/frame/sheet";
import { Act, Close, IdSign } from "../../ui/parts/kit";
import { NumberTiles, PlayerRow } from "../../ui/parts/numbers";
import { BoardMap, MonsterTile } from "../../ui/parts/picture";
import { CardShelf } from "../../ui/parts/shelf";

export function TableScreen() {
  const now = game.value;
  if (now === null) return null;
  const goals = now.seats.flatMap((seat) => seat.goals);
  return (
    <Screen
      name="table"
      poster={false}
      head={
        <>
          <h1 class="sr-only">{t("tab.table")}</h1>
          <BoardMap />
        </>
      }
    >
      {now.seats.map((seat) => (
        <PlayerRow key={seat.seat} seat={seat} />
      ))}
      <p class="muted small text-center">
        {goals.map((goal) => (
          <span key={goal}>
            <IdSign id={goal} size={18} /> {t(`goal.${goal}`)} ·{" "}
          </span>
        ))}
        {t("table.tap_row")}
      </p>
      <Areas />
      <Shop />
    </Screen>
  );
}

/** Boroughs with their stacks and Units; a game without tiles has none to open. */
function Areas() {
  const areas = game.value?.areas.filter((area) => area.stacks.length > 0) ?? [];
  return (
    <div class="two">
      {areas.map((area) => (
        <Act key={area.id} onTap={() => openSheet({ kind: "place", area: area.id })}>
          <span>{t(`place.${area.id}`)}</span>
          {area.units.length > 0 && (
            <span class="muted">
              <Sign name="infantry" size={16} title={t("units", { count: area.units.length })} />{" "}
              {area.units.length}
            </span>
          )}
        </Act>
      ))}
    </div>
  );
}

/** The shop, for everybody to see. */
function Shop() {
  const cards = game.value?.shop.cards.filter((card) => card.name !== null) ?? [];
  if (cards.length === 0) return null;
  return (
    <div class="panel">
      <p>
        <b>{t("table.shop")}</b>
      </p>
      {cards.map((card) => (
        <p key={card.card} class="row-between">
          <span>{t("card.named", { card: card.name ?? "" })}</span>
          <span>
            <Sign name="energy" size={16} meaning /> <b>{card.base_cost}</b>
          </span>
        </p>
      ))}
    </div>
  );
}

export function PlayerSheet({ seat: index }: { readonly seat: number }) {
  const seat = seatOf(index);
  if (seat === null) return null;
  return (
    <SheetFrame
      name="player"
      label={seat.player}
      tone="info"
      picture={<MonsterTile monster={seat.monster} size={72} out={!seat.alive} />}
      about={
        <p class="muted">
          {t(`monster.${seat.monster}`)} {seat.place !== null && `· ${t(`place.${seat.place}`)}`}
        </p>
      }
    >
      <NumberTiles seat={seat} />
      <CardShelf seat={seat} />
      <Close />
    </SheetFrame>
  );
}

/** A borough: who is there, its stacks and Units. */
export function PlaceSheet({ area: id }: { readonly area: string }) {
  const area = game.value?.areas.find((one) => one.id === id);
  if (area === undefined) return null;
  const here = game.value?.places.filter((place) => place.area === id) ?? [];
  return (
    <SheetFrame name="place" label={t(`place.${id}`)} tone="info">
      {here.map((place) => (
        <p key={place.id} class="row-between">
          <span>{t(`place.${place.id}`)}</span>
          <b>
            {place.monsters.length === 0
              ? t("place.empty")
              : place.monsters.map(names.player).join(", ")}
          </b>
        </p>
      ))}
      {area.stacks.map((stack) => (
        <p key={`stack${stack.id}`} class="row-between">
          <span>
            <IdSign
              id={(stack.tile ?? "question").replace(/_\d+$/, "")}
              size={22}
              meaning={false}
            />{" "}
            {stack.tile === null ? t("tile.unknown") : t(`tile.${stack.tile}`)}
          </span>
          <span class="muted">{t("place.stack", { count: stack.left })}</span>
        </p>
      ))}
      {area.units.length > 0 && (
        <p>
          {area.units.map((unit) => (
            <IdSign key={unit.id} id={unit.kind} size={26} meaning={false} />
          ))}{" "}
          {t("units", { count: area.units.length })}
        </p>
      )}
      <Close />
    </SheetFrame>
  );
}
