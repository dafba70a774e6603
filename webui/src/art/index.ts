/** Everything the app draws: signs, dice, monsters, poster heads, maps. */

export { DieArt, type DieArtProps, type DieColour } from "./die";
export {
  type MapArea,
  MapNewYork,
  type MapPlace,
  type MapProps,
  type MapSeat,
  MapTokyo,
  TableMap,
} from "./maps";
export { MonsterShape, MonsterTile, type MonsterTileProps, type TileState } from "./monster";
export { MONSTERS, type Monster, type MonsterId, monsterOf, type PatternName } from "./monsters";
export { PosterArt, type PosterArtProps, type PosterState } from "./poster";
export { isSign, type Meaning, meaningOf, Sign, type SignProps, SignShape, signOf } from "./sign";
export { SIGNS, type SignName } from "./signs";
export { Standee, type StandeeProps, type StandeeState } from "./standee";
export { TokenArt, type TokenArtProps } from "./token";
