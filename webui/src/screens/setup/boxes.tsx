/** The boxes of dice that are kept: use, rename, export, import and delete one; and a new set-up. */
import { useState } from "preact/hooks";
import { Sign } from "../../art";
import { openSheet } from "../../store/phone/route";
import { handleBox, importBox, openSetup, setup, step } from "../../store/table/setup";
import { t } from "../../store/words";
import { Headline, Screen } from "../../ui/frame/screen";
import { SheetFrame } from "../../ui/frame/sheet";
import { Act, Close, Primary } from "../../ui/parts/kit";
import type { SetupView } from "../../wire";

const LONGEST_NAME = 40;

export function BoxesScreen({ now }: { readonly now: SetupView | null }) {
  const camera = now?.camera ?? "none";
  const begins = camera === "ok" || camera === "starting";
  const used = now?.boxes.some((box) => box.chosen && box.game === now.game) === true;
  return (
    <Screen
      name="boxes"
      status={t("title")}
      tabs={false}
      head={
        <>
          <Headline text={t("setup.open")} lines={2} most={54} />
          <p class="muted">{t("setup.about")}</p>
        </>
      }
      dock={
        <>
          {now !== null && (
            <Primary
              text={t("setup.begin")}
              note={t(begins ? "setup.two_minutes" : "setup.no_camera")}
              onTap={begins ? () => void step({ act: "begin" }) : undefined}
            />
          )}
          <Close class="wide-act" />
        </>
      }
    >
      {now?.boxes.map((box) => (
        <button
          key={box.id}
          type="button"
          class={`game-row boxed row gap-12 w-full text-left color-text leading-125 pad-8-12 ${box.chosen ? "current" : ""}`}
          onClick={() => openSheet({ kind: "box", id: box.id })}
        >
          <Sign name="dice" size={32} />
          <span class="seat-words">
            <b>{box.name}</b>
            <span class="muted">
              {t(`game.${box.game}`)} · {t("setup.prints", { count: box.prints })}
            </span>
            {box.chosen && <span>{t("setup.chosen")}</span>}
          </span>
          <Sign name="chevron_right" size={20} />
        </button>
      ))}
      {used && <Act text={t("setup.put_away")} onTap={() => void handleBox({ act: "put_away" })} />}
      {now !== null && <ImportButton />}
    </Screen>
  );
}

function ImportButton() {
  // A new input for each file, so that the same one can be chosen again.
  const [field, setField] = useState(0);
  return (
    <label class="act photo relative overflow-hidden">
      <input
        key={field}
        type="file"
        accept=".json,application/json"
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          if (file !== undefined) void importBox(file).then(() => setField(field + 1));
        }}
      />
      <Sign name="plus" size={24} />
      <span class="photo-words">
        <b>{t("setup.import")}</b>
        <small class="muted">{t("setup.import_how")}</small>
      </span>
    </label>
  );
}

export function BoxSheet({ id }: { readonly id: string }) {
  const box = setup.value?.boxes.find((one) => one.id === id);
  const [name, setName] = useState(box?.name ?? "");
  const [deleting, setDeleting] = useState(false);
  if (box === undefined) return null;
  const handle = async (act: "choose" | "delete" | "rename") => {
    const done = await handleBox({ act, id, ...(act === "rename" ? { name: name.trim() } : {}) });
    if (done) openSetup();
  };
  return (
    <SheetFrame name="box" label={box.name} tone={deleting ? "doubt" : "go"}>
      <h2 class="sheet-head">{box.name}</h2>
      {deleting ? (
        <>
          <p>{t("setup.delete_what")}</p>
          <Primary text={t("setup.delete_not")} onTap={() => setDeleting(false)} />
          <Act text={t("setup.delete")} onTap={() => void handle("delete")} />
        </>
      ) : (
        <>
          {!box.chosen && <Primary text={t("setup.choose")} onTap={() => void handle("choose")} />}
          <label class="field">
            <span class="label">{t("setup.name")}</span>
            <input
              type="text"
              value={name}
              maxLength={LONGEST_NAME}
              onInput={(event) => setName(event.currentTarget.value)}
            />
          </label>
          <Act
            disabled={name.trim() === "" || name.trim() === box.name}
            onTap={() => void handle("rename")}
          >
            {t("setup.rename")}
          </Act>
          <a class="act" href={`/api/boxes/${box.id}`} download={`${box.name}.json`}>
            <Sign name="arrow_down" size={22} /> {t("setup.export")}
          </a>
          <div class="two">
            <Act text={t("setup.delete")} onTap={() => setDeleting(true)} />
            <Act text={t("back")} onTap={openSetup} />
          </div>
        </>
      )}
    </SheetFrame>
  );
}
