/** Everything the app draws: signs, dice, monsters, poster heads, maps. */
export { SIGNS, type SignName } from "./signs";
export { Sign, SignShape, isSign, meaningOf, signOf, type Meaning, type SignProps } from "./sign";
export { DieArt, type DieArtProps, type DieColour } from "./die";
export { MONSTERS, monsterOf, type Monster, type MonsterId, type PatternName } from "./monsters";
export { MonsterShape, MonsterTile, type MonsterTileProps, type TileState } from "./monster";
export { PosterArt, type PosterArtProps, type PosterState } from "./poster";
export { TokenArt, type TokenArtProps } from "./token";
export { Standee, type StandeeProps, type StandeeState } from "./standee";
export { MapNewYork, MapTokyo, TableMap, type MapProps, type MapSeat, type MapPlace, type MapArea } from "./maps";
