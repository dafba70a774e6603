/** The story of a finished game: its graph, its rows, and its parts below the final score. */
import "../styles/looks.css";
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { MonsterTile, Sign, signOf } from "../art";
import { ChanceGraph, ChanceKey } from "../art/chances";
import { fetchStory, gameOf, leaveStory, openPicture, openStory, storyOf } from "../store/records";
import { names, view } from "../store/table";
import { explained, say, t } from "../store/words";
import { endWords } from "../ui/ending";
import { Headline, Screen } from "../ui/frame";
import { Act, Spoken } from "../ui/kit";
import { Faces, Final } from "../ui/table";
import type { ChanceView, GameView, SeatView, StoryView } from "../wire";

type ChartProps = Readonly<{ story: StoryView; seats: readonly SeatView[] }>;

function momentOf(one: ChanceView | undefined): string {
  return one === undefined || one.ended ? t("story.end") : t("over.turn", { turn: one.turn });
}

function percent(one: ChanceView | undefined, seat: number): number {
  return Math.round(100 * (one?.chances[seat] ?? 0));
}

export function ChanceChart({ story, seats }: ChartProps) {
  const [at, setAt] = useState(story.chance.length - 1);
  const now = story.chance[at];
  const words = seats.map((seat) =>
    t("story.at", { name: names.player(seat.seat), percent: percent(now, seat.seat) }),
  );
  return (
    <section class="story-chart boxed color-text picture" aria-label={t("story.chance")}>
      <p class="flex wrap justify-between gap-10">
        <b>{t("story.chance")}</b> <span class="muted">{t("story.drag")}</span>
      </p>
      <div class="story-graph relative">
        <ChanceGraph
          chance={story.chance}
          seats={seats}
          width={342}
          height={172}
          text={13}
          mark={{ at, words: momentOf(now) }}
        />
        <input
          type="range"
          class="story-scrub"
          min={0}
          max={story.chance.length - 1}
          value={at}
          aria-label={t("story.chance")}
          aria-valuetext={`${momentOf(now)}: ${words.join(", ")}`}
          onInput={(event) => setAt(Number(event.currentTarget.value))}
        />
      </div>
      <ul class="story-legend grid text-15" aria-hidden="true">
        {seats.map((seat, index) => (
          <li key={seat.seat} class="row gap-6 min-0 break-words leading-115">
            <MonsterTile monster={seat.monster} size={20} />
            <ChanceKey seat={seat.seat} monster={seat.monster} />
            <span>{words[index]}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The story of the game on the table, which has just ended: fetched again after another end. */
export function StoryBrief({ id, now }: { readonly id: string; readonly now: GameView }) {
  const rev = view.value?.rev ?? 0;
  useEffect(() => void fetchStory(id, rev), [id, rev]);
  const known = storyOf(id);
  const story = known?.story ?? null;
  if (story === null)
    return (
      <>
        <Spoken text={known?.refused ? say(known.refused) : ""} />
        <p class="muted">{known?.refused ? say(known.refused) : t("story.making")}</p>
      </>
    );
  return (
    <>
      <Chances story={story} now={now} />
      <Turned story={story} />
      <FallenRows story={story} now={now} />
      <Closest story={story} />
      <StoryActs id={id} />
    </>
  );
}

/** The ways to the whole story and to its picture. */
export function StoryActs({ id }: { readonly id: string }) {
  return (
    <div class="two story-acts">
      <Act sign="log" text={t("story.open")} onTap={() => void openStory(id)} />
      <Act sign="photo" text={t("picture.open")} onTap={() => void openPicture(id)} />
    </div>
  );
}

/** The graph, or why there is none. */
export function Chances({ story, now }: { readonly story: StoryView; readonly now: GameView }) {
  if (story.chance.length > 1) return <ChanceChart story={story} seats={now.seats} />;
  return story.problem === null ? null : <p class="muted">{say(story.problem)}</p>;
}

/** Where the game turned: the dice of that turn, and what came of them. */
export function Turned({ story }: { readonly story: StoryView }) {
  const point = story.turning_point;
  if (point === null) return null;
  return (
    <section class="story-turned boxed pad-8-12 row gap-12 leading-125">
      <Faces class="story-dice" faces={point.faces} size={34} />
      <p>
        <b>{t("story.turned", { turn: point.turn })}</b>
        {point.happened.map((one, index) => (
          <span key={index} class="block">
            {explained(one)}
          </span>
        ))}
      </p>
    </section>
  );
}

type PartProps = Readonly<{ story: StoryView; now: GameView }>;

interface RowProps {
  readonly now: GameView;
  /** null: a row of all seats. */
  readonly seat: number | null;
  readonly out?: boolean;
  readonly children: ComponentChildren;
  /** What stands behind the words. */
  readonly end?: ComponentChildren;
}

/** A seat of the story with words about it. */
function Row({ now, seat, out = false, children, end }: RowProps) {
  return (
    <div class="story-row dotted-below row gap-10 leading-120 tall-52">
      {seat === null ? (
        <Sign name="dice" size={36} />
      ) : (
        <MonsterTile monster={now.seats[seat]?.monster ?? ""} size={36} out={out} />
      )}
      {out && <Sign name="skull" size={20} class="muted" />}
      <span class="col gap-2 grow break-words">{children}</span>
      {end}
    </div>
  );
}

/** Who was eliminated when, and by what. */
function FallenRows({ story, now }: PartProps) {
  if (story.fallen.length === 0) return null;
  return (
    <section class="story-part col">
      <h2 class="story-labels flex justify-between">
        {t("story.fallen")} <span class="muted regular">{t("time.turn")}</span>
      </h2>
      {story.fallen.map((one) => (
        <Row key={one.seat} now={now} seat={one.seat} out end={<b>{one.turn}</b>}>
          {explained(one)}
        </Row>
      ))}
    </section>
  );
}

export function Closest({ story }: { readonly story: StoryView }) {
  if (story.closest === null) return null;
  return (
    <p class="story-closest boxed pad-8-12 row gap-12 leading-125">
      <Sign name={signOf("heal", "dice")} size={28} /> <span>{say(story.closest)}</span>
    </p>
  );
}

export function StoryScreen({ id }: { readonly id: string }) {
  const known = storyOf(id);
  const now = gameOf(id);
  const story = known?.story ?? null;
  const ready = story !== null && now !== null;
  const seat = now?.ended?.winners[0];
  const count = now?.seats[seat ?? -1]?.stars ?? 0;
  const missing = known?.refused ? say(known.refused) : t("story.asked");
  return (
    <Screen
      name="story"
      status={story === null ? t("title") : lengthOf(story)}
      tabs={false}
      news={false}
      head={
        <>
          <Headline text={endWords(now?.ended?.winners ?? [])} most={54} />
          {ready ? (
            <>
              <p>{t(`over.${now.ended?.reason ?? ""}`, { seat: seat ?? 0, count })}</p>
              <Final now={now} />
            </>
          ) : (
            <p>{missing}</p>
          )}
        </>
      }
      dock={
        <div class="dock-row">
          <Act text={t("back")} class="wide-act" onTap={() => leaveStory(id)} />
          <Act class="wide-act" onTap={() => void openPicture(id)}>
            <Sign name="photo" size={24} /> {t("picture.open")}
          </Act>
        </div>
      }
    >
      <Spoken text={ready ? "" : missing} />
      {ready && (
        <>
          <Chances story={story} now={now} />
          <Turned story={story} />
          <Best story={story} now={now} />
          <FallenRows story={story} now={now} />
          <Closest story={story} />
          <LuckRows story={story} now={now} />
        </>
      )}
    </Screen>
  );
}

function lengthOf({ turns, minutes }: StoryView): string {
  const words = t("picture.turns", { count: turns });
  if (!minutes) return words;
  if (minutes < 60) return `${words} · ${t("story.minutes", { count: minutes })}`;
  return `${words} · ${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")} h`;
}

function Best({ story, now }: PartProps) {
  if (story.best.length === 0) return null;
  return (
    <section class="story-part col">
      <h2 class="story-labels flex justify-between">{t("story.best")}</h2>
      {story.best.map(({ seat, words, faces }) => (
        <Row
          key={seat}
          now={now}
          seat={seat}
          end={<Faces class="story-dice" faces={faces} size={22} />}
        >
          <b>{names.player(seat)}</b>
          <span>{say(words)}</span>
        </Row>
      ))}
    </section>
  );
}

function LuckRows({ story, now }: PartProps) {
  return (
    <section class="story-part col">
      <h2 class="story-labels flex justify-between">{t("story.luck")}</h2>
      {story.luck.map(({ seat, faces, words }) => (
        <Row key={seat ?? "all"} now={now} seat={seat}>
          <b>{seat === null ? t("story.luck_all") : names.player(seat)}</b>
          <span class="flex wrap gap-10">
            {Object.entries(faces).map(([face, count]) => (
              <span key={face} class="inline-row gap-4">
                <Sign name={signOf(face, "dice")} size={18} title={t(`face.${face}`)} meaning />
                <b>{count}</b>
              </span>
            ))}
          </span>
          <span class="muted">{say(words)}</span>
        </Row>
      ))}
      <p class="muted small">{t("story.counted")}</p>
    </section>
  );
}
