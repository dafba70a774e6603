/** What screens draw: signs, dice, monsters, poster heads, maps. */

export { TableMap } from "./maps";
export { MonsterShape, MonsterTile } from "./monsters/monster";
export { MONSTERS, type Monster, monsterOf } from "./monsters/monsters";
export type { PosterState } from "./monsters/poster";
export { DieArt } from "./signs/die";
export { isSign, Sign, SignShape, signOf } from "./signs/sign";
export { SIGNS, type SignName } from "./signs/signs";
