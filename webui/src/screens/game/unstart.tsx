/** The confirmation before undoing the start of a game: it ends the game on every phone. */
import { closeSheet } from "../../store/phone/route";
import { undo } from "../../store/turn/acts";
import { t } from "../../store/words";
import { SheetFrame } from "../../ui/frame/sheet";
import { Act, Primary } from "../../ui/parts/kit";

export function UnstartSheet({ seq }: { readonly seq: number }) {
  const tapped = () => {
    closeSheet();
    undo(seq);
  };
  return (
    <SheetFrame name="unstart" label={t("unstart.head")} tone="doubt">
      <p>{t("unstart.what")}</p>
      <Primary text={t("unstart.stay")} onTap={closeSheet} />
      <Act text={t("unstart.go")} onTap={tapped} />
    </SheetFrame>
  );
}
