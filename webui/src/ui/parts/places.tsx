/** Cards of places: who is there, their tiles and Units, whether there is room. */
import { Sign } from "../../art";
import { game, names, seatOf } from "../../store/table/table";
import { say, t } from "../../store/words";
import type { Change, Option, PlaceView } from "../../wire";
import { Deltas, isSame } from "./kit";
import { MonsterTile } from "./picture";

export function placeOf(id: string | null): PlaceView | null {
  return id === null ? null : (game.value?.places.find((place) => place.id === id) ?? null);
}

export interface PlaceCardProps {
  readonly option: Option;
  /** Consequences that all places share, shown above them. */
  readonly shared?: readonly Change[];
  readonly onTap: () => void;
}

/** A place as an answer; full ones are dashed and disabled. */
export function PlaceCard({ option, shared = [], onTap }: PlaceCardProps) {
  const place = placeOf(option.place);
  const units = game.value?.areas.find((area) => area.id === place?.area)?.units.length ?? 0;
  const stands = place?.monsters ?? [];
  const first = seatOf(stands[0] ?? null);
  const own = option.consequence.filter((change) => !shared.some((one) => isSame(one, change)));
  const inside = (
    <>
      {first === null ? (
        <span class="empty-spot rigid rounded-6" aria-hidden="true" />
      ) : (
        <MonsterTile monster={first.monster} size={44} />
      )}
      <span class="place-words col min-0 leading-120">
        <b>{t(`place.${option.place ?? ""}`)}</b>
        <small class="muted">
          {stands.length === 0 ? t("place.empty") : stands.map(names.player).join(", ")}
          {units > 0 && (
            <>
              {" "}
              <Sign name="infantry" size={16} title={t("units", { count: units })} /> {units}
            </>
          )}
        </small>
        {!option.enabled && (
          <small>{option.reason === null ? t("place.full") : say(option.reason)}</small>
        )}
        {own.length > 0 && (
          <small>
            <Deltas changes={own} size={14} />
          </small>
        )}
      </span>
    </>
  );
  return option.enabled ? (
    <button
      type="button"
      class="place-card row gap-8 min-0 text-left on-panel color-text"
      data-answer={option.key}
      onClick={onTap}
    >
      {inside}
    </button>
  ) : (
    <div class="place-card row gap-8 min-0 text-left on-panel color-text full">{inside}</div>
  );
}
