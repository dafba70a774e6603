/** The map of a game, chosen by the places that the data name. */
import { MapNewYork, NEW_YORK_SPOTS } from "./new-york";
import type { MapProps } from "./parts";
import { MapTokyo, TOKYO_SPOTS } from "./tokyo";

export type { MapArea, MapPlace, MapProps, MapSeat } from "./parts";
export { MapNewYork, MapTokyo };

const MAPS = [
  { spots: NEW_YORK_SPOTS, Map: MapNewYork },
  { spots: TOKYO_SPOTS, Map: MapTokyo },
];

/** The map that has a spot for every place of the data; nothing where no map has. */
export function TableMap(props: MapProps) {
  const known = MAPS.find(({ spots }) =>
    props.places.every((place) => spots[place.id] !== undefined),
  );
  return known === undefined ? null : <known.Map {...props} />;
}
