/** Every drawing on one page, for review; not part of the app (`npm run gallery`). */
import { render } from "preact";
import {
  DieArt,
  type MapArea,
  MapNewYork,
  type MapPlace,
  MapTokyo,
  MONSTERS,
  MonsterTile,
  PosterArt,
  type PosterState,
  SIGNS,
  Sign,
  type SignName,
  TokenArt,
} from "../art";
import "../theme/index.css";
import "./gallery.css";

const NAMES = Object.keys(SIGNS) as SignName[];
const FACES: readonly SignName[] = [
  "energy",
  "attack",
  "heal",
  "destruction",
  "celebrity",
  "ouch",
  "one",
  "two",
  "three",
];
const TOKENS: readonly SignName[] = [
  "poison",
  "shrink",
  "web",
  "curse",
  "souvenir",
  "carapace",
  "smoke",
  "mimic",
  "battery",
  "flame",
];

function Signs() {
  return (
    <div class="g-signs">
      {NAMES.map((name) => (
        <div class="g-row" key={name}>
          <span>{name}</span>
          {[88, 48, 24, 16].map((size) => (
            <Sign key={size} name={name} size={size} meaning />
          ))}
          {FACES.includes(name) && <DieArt face={name} size={48} />}
          {FACES.includes(name) && <DieArt face={name} size={48} colour="green" />}
        </div>
      ))}
    </div>
  );
}

function Monsters() {
  return (
    <div class="g-monsters">
      {MONSTERS.map(({ id }) => (
        <div key={id}>
          <MonsterTile id={id} size={220} />
          <div class="g-sizes">
            {[64, 44, 28, 20].map((size) => (
              <MonsterTile key={size} id={id} size={size} />
            ))}
            <MonsterTile id={id} size={44} state="out" />
            <MonsterTile id={id} size={44} state="hit" />
          </div>
        </div>
      ))}
    </div>
  );
}

const STATES: readonly PosterState[] = ["mine", "buy", "hit", "won", "stale", "out"];

function Poster({ monster, words, state }: { monster: string; words: string; state: PosterState }) {
  return (
    <div class="g-poster">
      <PosterArt monster={monster} state={state} />
      <p class="g-words">{words}</p>
      <p class="g-place">
        <Sign name="pin" size={16} /> Queens
      </p>
    </div>
  );
}

function Posters() {
  return (
    <div class="g-posters">
      {MONSTERS.map(({ id }, index) => (
        <Poster
          key={id}
          monster={id}
          words={index % 2 === 0 ? "Your turn" : "You are next"}
          state="mine"
        />
      ))}
      {STATES.map((state, index) => (
        <Poster key={state} monster={MONSTERS[index * 2]?.id ?? ""} words={state} state={state} />
      ))}
      <Poster monster="" words="Nobody" state="mine" />
    </div>
  );
}

function place(id: string, area: string, ...monsters: number[]): MapPlace {
  return { id, area, monsters, room: 1 };
}

function area(id: string, places: string[], left: number[], units: number): MapArea {
  return {
    id,
    places,
    stacks: left.map((each, index) => ({ id: index, left: each })),
    units: Array.from({ length: units }, (_, index) => ({ id: index })),
  };
}

const ZONES = ["lower", "midtown", "upper"];
const SEATS = MONSTERS.slice(0, 6).map(({ id }, seat) => ({ seat, monster: id }));

function newYork(six: boolean) {
  const tracks = six ? ["2_4", "5_6"] : ["2_4"];
  const inner = ZONES.flatMap((zone) => tracks.map((track) => `${zone}_${track}`));
  const at: Record<string, number[]> = six
    ? { midtown_2_4: [0], lower_5_6: [2], bronx: [1, 4], queens: [5], brooklyn: [3] }
    : { lower_2_4: [0], bronx: [1], staten_island: [2], brooklyn: [3] };
  const outer = ["bronx", "queens", "brooklyn", "staten_island"];
  return {
    places: [
      ...inner.map((id) => place(id, "manhattan", ...(at[id] ?? []))),
      ...outer.map((id) => place(id, id, ...(at[id] ?? []))),
    ],
    areas: [
      area("manhattan", inner, [3, 1, 2], 2),
      ...outer.map((id, index) => area(id, [id], [3, 2, index], index)),
    ],
    seats: six ? SEATS : SEATS.slice(0, 4),
  };
}

function tokyo(bay: boolean) {
  const places = bay
    ? [
        place("tokyo_city", "tokyo", 4),
        place("tokyo_bay", "tokyo", 1),
        place("outside", "outside", 0, 2, 3, 5),
      ]
    : [place("tokyo_city", "tokyo", 2), place("outside", "outside", 0, 1, 3)];
  const inner = places.filter((each) => each.area === "tokyo").map((each) => each.id);
  return {
    places,
    areas: [area("tokyo", inner, [], 0), area("outside", ["outside"], [], 0)],
    seats: SEATS,
  };
}

const words = (id: string) => id.replace(/_/g, " ");

function Maps() {
  return (
    <div class="g-maps">
      <div class="g-map">
        <MapNewYork {...newYork(false)} active={1} words={words} title="The five boroughs" />
      </div>
      <div class="g-map">
        <MapNewYork
          {...newYork(true)}
          active={2}
          asked={5}
          words={words}
          title="The five boroughs"
        />
      </div>
      <div class="g-map">
        <MapTokyo {...tokyo(true)} active={4} asked={1} words={words} title="Tokyo" />
      </div>
      <div class="g-map">
        <MapTokyo {...tokyo(false)} active={0} words={words} title="Tokyo" />
      </div>
      <div class="g-map-wide">
        <MapNewYork {...newYork(true)} active={2} words={words} title="The five boroughs" />
      </div>
    </div>
  );
}

function Tokens() {
  return (
    <>
      <div class="g-tokens">
        {TOKENS.map((name, index) => (
          <div key={name} class="g-row">
            <TokenArt name={name} count={index % 2 === 0 ? 1 : undefined} />
            <Sign name={name} size={32} meaning />
            <Sign name={name} size={22} meaning />
            <Sign name={name} size={16} meaning />
            <span>{name}</span>
          </div>
        ))}
      </div>
      <div class="g-type">
        <p class="g-words">Þórdís, Œuvre, ¿Ñoño? Ævi Önd Ça</p>
        <p>
          <span class="g-total">0123456789</span>
        </p>
        <p>Kelp Auntie</p>
        <p>Take 2 energy. Taktu 2 orku. Prends 2 énergie. Ðð Þþ Ææ Öö Áá Ññ ¿¡ Çç Œœ</p>
        <p>outside Manhattan dice heal</p>
        <button type="button" autofocus>
          Apply
        </button>
      </div>
    </>
  );
}

const PARTS: Record<string, () => preact.JSX.Element> = {
  signs: Signs,
  monsters: Monsters,
  posters: Posters,
  maps: Maps,
  tokens: Tokens,
};

const asked = new URLSearchParams(location.search);
document.documentElement.dataset.theme = asked.get("theme") ?? "night";
const Part = PARTS[asked.get("part") ?? "signs"] ?? Signs;
const root = document.getElementById("app");
if (root !== null) {
  render(
    <main class="gallery">
      <Part />
    </main>,
    root,
  );
}
