/** The map of a game, chosen by the places that the data name; nothing where no map has them all. */
import { isNewYork, LargeNewYork, MapNewYork } from "./new-york";
import type { LargeMapProps, MapProps } from "./parts";
import { isTokyo, LargeTokyo, MapTokyo } from "./tokyo";

export function TableMap(props: MapProps) {
  if (isNewYork(props.game)) return <MapNewYork {...props} />;
  return isTokyo(props.game) ? <MapTokyo {...props} /> : null;
}

export function LargeMap(props: LargeMapProps) {
  if (isNewYork(props.game)) return <LargeNewYork {...props} />;
  return isTokyo(props.game) ? <LargeTokyo {...props} /> : null;
}
