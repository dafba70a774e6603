/** A button for watchers to take a seat at any time. */
import { Sign } from "../../art";
import { pickSeat } from "../../store/table/people";
import { you } from "../../store/table/table";
import { t } from "../../store/words";
import { Act } from "../parts/kit";

export function SitDown() {
  if (you.value.seat !== null) return null;
  return (
    <Act onTap={pickSeat}>
      <Sign name="people" size={24} /> {t("more.sit")}
    </Act>
  );
}
