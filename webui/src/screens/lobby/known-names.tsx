/** Names to tap for a seat: of people who have played here before and have no seat yet. */
import { useEffect } from "preact/hooks";
import { fetchNames, knownNames } from "../../store/records/names";
import { t } from "../../store/words";
import type { KnownName, SeatSetup } from "../../wire";

const MOST = 8;

export interface KnownNamesProps {
  readonly seats: readonly SeatSetup[];
  readonly index: number;
  readonly onChoose: (seat: Partial<SeatSetup>) => void;
}

export function KnownNames({ seats, index, onChoose }: KnownNamesProps) {
  useEffect(() => void fetchNames(), []);
  const here = new Set(seats.map((one) => one.player.toLowerCase()));
  const free = knownNames.value.filter(({ name }) => !here.has(name.toLowerCase())).slice(0, MOST);
  if (free.length === 0) return null;
  /** The Monster of the last time comes along where no other seat has it. */
  const seatOf = ({ name, monster }: KnownName): Partial<SeatSetup> =>
    seats.some((one, at) => at !== index && one.monster === monster)
      ? { player: name }
      : { player: name, monster };
  return (
    <div class="known-names row wrap gap-8" role="group" aria-label={t("seat.known")}>
      <small class="muted">{t("seat.known")}</small>
      {free.map((one) => (
        <button key={one.name} type="button" class="act" onClick={() => onChoose(seatOf(one))}>
          {one.name}
        </button>
      ))}
    </div>
  );
}
