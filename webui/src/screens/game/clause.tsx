/** The text of a clause of the rulebook, in the project's own English words. */
import { useEffect, useState } from "preact/hooks";
import { prefs } from "../../store/phone/prefs";
import { api } from "../../store/server/api";
import { t } from "../../store/words";
import { SheetFrame } from "../../ui/frame/sheet";
import { Close } from "../../ui/parts/kit";
import type { ClauseAnswer } from "../../wire";

export function ClauseSheet({ id }: { readonly id: string }) {
  const [found, setFound] = useState<ClauseAnswer | "asked" | "none">("asked");
  useEffect(() => {
    let left = false;
    void api.clause(id).then((answer) => {
      if (!left) setFound(answer.kind === "done" ? answer.value : "none");
    });
    return () => {
      left = true;
    };
  }, [id]);
  return (
    <SheetFrame name="clause" label={t("clause.head", { clause: id })} tone="info">
      <div class="clause-text col gap-8" role="status">
        {typeof found === "string" ? (
          <p class="muted">{t(`clause.${found}`)}</p>
        ) : (
          <>
            <p lang="en">{found.text}</p>
            <p class="muted small">
              {t(`clause.status.${found.status}`)}{" "}
              {prefs.value.language !== "en" && t("clause.english")}
            </p>
          </>
        )}
      </div>
      <Close />
    </SheetFrame>
  );
}
