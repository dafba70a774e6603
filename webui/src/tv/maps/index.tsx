/** The large map of a game, chosen by the places that the data name. */
import { t } from "../../store/words";
import type { GameView } from "../../wire";
import { LargeNewYork, NEW_YORK_PLACES } from "./new-york";
import type { Zoom } from "./parts";
import { LargeTokyo, TOKYO_PLACES } from "./tokyo";

const MAPS = [
  { places: NEW_YORK_PLACES, Map: LargeNewYork },
  { places: TOKYO_PLACES, Map: LargeTokyo },
];

interface LargeMapOf {
  readonly game: GameView;
  readonly zoom: Zoom;
  readonly high: boolean;
}

/** The map that has all places of the game; nothing where no map has. */
export function LargeMap({ game, zoom, high }: LargeMapOf) {
  const known = MAPS.find(({ places }) => game.places.every((place) => places.has(place.id)));
  if (known === undefined) return null;
  const words = (id: string) => t(`place.${id}`);
  return <known.Map game={game} zoom={zoom} high={high} words={words} title={t("table.map")} />;
}
