/** Small sheets of a game: a clause of the rulebook, in the project's own English words; whether its start is undone. */
import { useEffect, useState } from "preact/hooks";
import { prefs } from "../../store/phone/prefs";
import { closeSheet } from "../../store/phone/route";
import { api } from "../../store/server/api";
import { undo } from "../../store/turn/acts";
import { t } from "../../store/words";
import { SheetFrame } from "../../ui/frame/sheet";
import { Act, Close, Primary } from "../../ui/parts/kit";
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
