/** Choices: one of a few, a switch, the mark of what is chosen. */
import { Sign, type SignName } from "../art";
import { t } from "../store/words";

interface SegmentProps<T extends string> {
  readonly label: string;
  readonly options: readonly T[];
  readonly chosen: string | null;
  readonly words: (option: T) => string;
  /** Whether the options are languages, each in its own. */
  readonly languages?: boolean;
  /** Whether a sign and not a letter says which is chosen. */
  readonly ticked?: boolean;
  readonly onTap: (option: T) => void;
}

/** One of a few, side by side. */
export function Segment<T extends string>(props: SegmentProps<T>) {
  const { label, options, chosen, words, languages = false, ticked = false, onTap } = props;
  return (
    <div
      class={`segment flex edged overflow-hidden ${ticked ? "ticked" : ""}`}
      role="group"
      aria-label={label}
    >
      {options.map((option) => (
        <button
          key={option}
          type="button"
          lang={languages ? option : undefined}
          aria-pressed={option === chosen}
          class={option === chosen ? "chosen" : ""}
          onClick={() => onTap(option)}
        >
          {ticked && option === chosen && <Corner />}
          {words(option)}
        </button>
      ))}
    </div>
  );
}

/** The mark of what is chosen. */
export function Corner() {
  return (
    <span class="corner middle absolute on-go">
      <Sign name="tick" size={16} />
    </span>
  );
}

interface SwitchProps {
  readonly sign?: SignName;
  readonly text: string;
  readonly note?: string;
  readonly on: boolean;
  readonly class?: string;
  readonly disabled?: boolean;
  readonly onTap: () => void;
}

export function Switch({ sign, text, note, on, class: extra = "", ...rest }: SwitchProps) {
  const { disabled = false, onTap } = rest;
  return (
    <button
      type="button"
      role="switch"
      aria-checked={on}
      class={`switch edged no-fill row gap-6 min-0 text-left text-14 ${on ? "on" : ""} ${extra}`}
      disabled={disabled}
      onClick={onTap}
    >
      {sign !== undefined && <Sign name={sign} size={26} />}
      <span class="min-0 break-words leading-115">
        <b>{text}</b> {note !== undefined && <small class="muted block">{note}</small>}
        <small class="block">{t(on ? "on" : "off")}</small>
      </span>
    </button>
  );
}
