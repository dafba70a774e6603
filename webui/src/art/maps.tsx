import { MapNewYork, NEW_YORK_SPOTS } from "./map-new-york";
import type { MapProps } from "./map-parts";
import { MapTokyo, TOKYO_SPOTS } from "./map-tokyo";

export type { MapArea, MapPlace, MapProps, MapSeat } from "./map-parts";
export { MapNewYork, MapTokyo };

const MAPS = [
  { spots: NEW_YORK_SPOTS, Map: MapNewYork },
  { spots: TOKYO_SPOTS, Map: MapTokyo },
];

/** The map on which every place of the data has a spot; nothing where none is drawn for them. */
export function TableMap(props: MapProps) {
  const known = MAPS.find(({ spots }) =>
    props.places.every((place) => spots[place.id] !== undefined),
  );
  return known === undefined ? null : <known.Map {...props} />;
}
