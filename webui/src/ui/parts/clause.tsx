/** The clause behind a question or a reminder: its number opens its text. */
import { openSheet } from "../../store/phone/route";
import { t } from "../../store/words";

export function ClauseLink({ id }: { readonly id: string }) {
  return (
    <button
      type="button"
      class="link clause"
      aria-label={t("clause.open", { clause: id })}
      onClick={() => openSheet({ kind: "clause", id })}
    >
      {id}
    </button>
  );
}
