/** What screens draw: signs, dice, monsters, poster heads, maps. */

export { TableMap } from "./maps";
export type { PosterState } from "./monsters";
export { MONSTERS, type Monster, MonsterShape, MonsterTile, monsterOf } from "./monsters";
export { DieArt, isSign, SIGNS, Sign, type SignName, SignShape, signOf } from "./signs";
