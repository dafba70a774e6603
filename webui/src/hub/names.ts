/** What a seat goes by: its player's name where that may be shown, else its Monster's. */
import { t } from "../store/words";

export function nameOf(seat: { readonly player: string; readonly monster: string }): string {
  return seat.player === "" ? t(`monster.${seat.monster}`) : seat.player;
}
