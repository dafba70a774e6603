/** A screen that is not let in: a television asks for its code, an overlay says what is missing. */
import { enter, entering, refused, type, typed } from "../../store/tv";
import { say, t } from "../../store/words";

const CODE_LENGTH = 6;

export function CodeScreen() {
  const letters = typed.value.toUpperCase().replace(/[^0-9A-Z]/g, "");
  const enough = letters.length === CODE_LENGTH;
  const send = () => {
    if (enough && !entering.value) void enter({ token: null, code: letters });
  };
  return (
    <main class="tv entry">
      <h1 class="entry-head num">{t("tv.code")}</h1>
      <p class="entry-how">{t("tv.type")}</p>
      <input
        class="entry-code num"
        type="text"
        aria-label={t("tv.code")}
        autocomplete="off"
        autocapitalize="characters"
        spellcheck={false}
        maxLength={8}
        value={typed.value}
        ref={(field) => field?.focus()}
        onInput={(event) => type(event.currentTarget.value)}
        onKeyDown={(event) => event.key === "Enter" && send()}
      />
      <button
        type="button"
        class="entry-go caps color-ink num"
        disabled={!enough || entering.value}
        onClick={send}
      >
        {t("tv.go")}
      </button>
      <p class="entry-refused" role="alert">
        {refused.value === null ? "" : say(refused.value)}
      </p>
    </main>
  );
}

export function OverlayOutside() {
  return <p class="overlay-outside">{t("tv.overlay_outside")}</p>;
}
