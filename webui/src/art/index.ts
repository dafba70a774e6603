/** What screens draw: signs, dice, monsters, poster heads, maps. */

export { TableMap } from "./maps";
export type { PosterState } from "./monsters";
export { MonsterShape, MonsterTile, monsterOf } from "./monsters";
export { DieArt, isSign, Sign, type SignName, SignShape, signOf } from "./signs";
