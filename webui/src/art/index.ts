/** Everything the app draws: signs, dice, monsters, poster heads, maps. */

export { TableMap } from "./maps";
export {
  MonsterShape,
  MonsterTile,
  type MonsterTileProps,
  type TileState,
} from "./monsters/monster";
export {
  MONSTERS,
  type Monster,
  type MonsterId,
  monsterOf,
  type PatternName,
} from "./monsters/monsters";
export { PosterArt, type PosterArtProps, type PosterState } from "./monsters/poster";
export { Standee, type StandeeProps, type StandeeState } from "./monsters/standee";
export { DieArt, type DieArtProps, type DieColour } from "./signs/die";
export {
  isSign,
  type Meaning,
  meaningOf,
  Sign,
  type SignProps,
  SignShape,
  signOf,
  TokenArt,
  type TokenArtProps,
} from "./signs/sign";
export { SIGNS, type SignName } from "./signs/signs";
