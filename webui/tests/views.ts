/** Views as the table sends them, small; each test names only what it is about. */
import type {
  GameView,
  LogRow,
  Option,
  PreviewAnswer,
  Proposal,
  ProposedDie,
  Question,
  SeatView,
  Tray,
  Update,
  View,
  You,
} from "../src/wire";

export function seat(index: number, part: Partial<SeatView> = {}): SeatView {
  const { health = 10, stars = 0, energy = 0 } = part;
  return {
    seat: index,
    player: ["Ana", "Björk", "Chloé"][index] ?? `P${index}`,
    monster: ["inkwell", "lampmoth", "spinella"][index] ?? "drizzla",
    health: 10,
    health_max: 10,
    called: "",
    stars: 0,
    energy: 0,
    numbers: [
      { what: "health", value: health, most: 10 },
      { what: "stars", value: stars, most: 20 },
      { what: "energy", value: energy, most: null },
    ],
    place: null,
    area: null,
    alive: true,
    died_turn: null,
    tokens: [],
    trophies: [],
    goals: [],
    cards: [],
    phones: 1,
    ...part,
  };
}

export function question(part: Partial<Question> = {}): Question {
  return {
    id: "q1",
    kind: "roll",
    key: "roll",
    prompt: { key: "ask.roll", args: {} },
    window: "roll",
    seat: 0,
    may_answer: [0],
    options: [],
    dice: 6,
    rethrow: [],
    showing: [],
    counted: false,
    owed: 0,
    main: true,
    prices: [],
    left: 3,
    more: true,
    nameable: [],
    place: null,
    skippable: false,
    lying: [],
    as_it_lies: [],
    odds: [],
    fallen: null,
    stack: 0,
    stacks: 0,
    clause: null,
    also: [],
    early: false,
    secret: false,
    ...part,
  };
}

export function option(part: Partial<Option> = {}): Option {
  return {
    key: "stay",
    label: { key: "flee.stay", args: {} },
    enabled: true,
    reason: null,
    place: null,
    card: null,
    tile: null,
    face: null,
    consequence: [],
    notes: [],
    by_other: [],
    out: false,
    ...part,
  };
}

export function die(face: ProposedDie["face"], part: Partial<ProposedDie> = {}): ProposedDie {
  return {
    face,
    confidence: 0.99,
    sure: true,
    flat: true,
    colour: "black",
    box: [100, 100, 60, 60],
    alternatives: [],
    crop: "",
    ...part,
  };
}

export function proposal(dice: readonly ProposedDie[], part: Partial<Proposal> = {}): Proposal {
  return {
    id: "p1",
    dice,
    problems: [],
    roll: 1,
    photo: false,
    picture: "/api/p1.jpg",
    picture_size: [1280, 720],
    preview: answer(),
    ...part,
  };
}

export function row(seq: number, part: Partial<LogRow> = {}): LogRow {
  return {
    seq,
    turn: 1,
    active: 0,
    seat: 0,
    sign: "dice",
    words: { key: "did.order", args: {} },
    changes: [],
    at: "",
    by: "",
    undone: false,
    corrected: false,
    ahead: false,
    why: [],
    happened: [],
    quiet: false,
    joins: false,
    tray: false,
    ...part,
  };
}

export function game(part: Partial<GameView> = {}): GameView {
  return {
    game: "new-york",
    edition: "first",
    house: [],
    turn: 3,
    active: 0,
    phase: "roll",
    faces: ["energy", "attack", "heal", "destruction", "celebrity", "ouch"],
    seats: [seat(0), seat(1), seat(2)],
    areas: [],
    places: [],
    shop: { cards: [], sweep_cost: 2, sweep: null, end: null },
    question: null,
    early: null,
    offers: [],
    hands: [],
    reminders: [],
    last_roll: [],
    last_roll_seat: null,
    order: [],
    ended: null,
    happened: [],
    ...part,
  };
}

export function tray(part: Partial<Tray> = {}): Tray {
  return {
    camera: "ok",
    state: "empty",
    problem: null,
    roll: 0,
    since_s: 0,
    found: "",
    proposal: null,
    known: null,
    box: null,
    misread: "",
    drift: null,
    phone_free: { fuse: false, tray_ends: false },
    fuse: null,
    demo: false,
    ...part,
  };
}

export function view(part: Partial<View> = {}): View {
  return {
    rev: 7,
    table: "t1",
    saved: true,
    game: game(),
    lobby: null,
    tray: tray(),
    people: { persons: [], claims: [], host: null, host_lost: false },
    log: [],
    undo: null,
    redo: null,
    join: null,
    notices: [],
    ...part,
  };
}

let numbered = 0;

/** A newer update with each call. */
export function update(part: Partial<View> = {}, who: Partial<You> = {}): Update {
  const you: You = {
    role: "player",
    seat: 0,
    id: "me",
    before: null,
    asks: null,
    kept: null,
    question: null,
    ahead: null,
    ...who,
  };
  numbered += 1;
  return { run: "run", number: numbered, view: view(part), you };
}

export function answer(part: Partial<PreviewAnswer> = {}): PreviewAnswer {
  return {
    rows: [],
    order: [],
    merges: false,
    changes: [],
    lacking: 0,
    entering: [],
    outcomes: [],
    ends: [],
    reasons: [],
    ...part,
  };
}
