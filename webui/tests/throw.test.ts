/** How the dice lie: by thumbs, by the camera, and after some were thrown again. */
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { throwOptions, toggleRethrown } from "../src/store/proposal";
import { update as newest } from "../src/store/table";
import { activeProposal, countsThrows, faceOf, throwOf } from "../src/store/tray";
import {
  byHand,
  countByHand,
  fixDie,
  nameRethrown,
  tap,
  tapped,
  thrown,
  untap,
  untapLast,
  watchQuestions,
} from "../src/store/turn";
import type { Face, Question } from "../src/wire";
import { die, game, proposal, question, tray, update } from "./views";

const FACES: readonly Face[] = ["attack", "attack", "heal", "energy", "ouch", "celebrity"];

let asks = 0;

/** Ask anew: another question and another proposal, so that nothing is left of the one before. */
function asked(part: Partial<Question>, read: readonly (Face | null)[] | null = null): Question {
  asks += 1;
  const one = question({ id: `q${asks}`, ...part });
  const dice = read?.map((face) => die(face));
  const found = dice === undefined ? null : proposal(dice, { id: `p${asks}` });
  newest.value = update({ game: game({ question: one }), tray: tray({ proposal: found }) });
  return one;
}

beforeAll(watchQuestions);
beforeEach(() => {
  asked({});
});

describe("dice tapped by hand", () => {
  it("are missing until all are tapped", () => {
    const one = asked({ dice: 3 });
    expect(throwOf(one)).toEqual({ faces: [], rethrown: [], missing: 3, gone: [] });
    tap("heal");
    tap("ouch");
    expect(throwOf(one)).toMatchObject({ faces: ["heal", "ouch"], missing: 1 });
    tap("heal");
    expect(throwOf(one).missing).toBe(0);
  });

  it("are counted by hand from the first tap, though a camera reads", () => {
    const one = asked({}, FACES);
    expect(activeProposal.value).not.toBeNull();
    tap("heal");
    expect(byHand.value).toBe(true);
    expect(activeProposal.value).toBeNull();
    expect(throwOf(one).faces).toEqual(["heal"]);
  });

  it("leave one by one, only the one that is meant", () => {
    for (const face of ["heal", "ouch", "heal"] as const) tap(face);
    untap(0);
    expect(tapped.value).toEqual(["ouch", "heal"]);
    untap(5);
    expect(tapped.value).toEqual(["ouch", "heal"]);
    untapLast();
    untapLast();
    untapLast();
    expect(tapped.value).toEqual([]);
  });
});

describe("dice read by the camera", () => {
  it("count as read", () => {
    expect(throwOf(asked({}, FACES))).toEqual({ faces: FACES, rethrown: [], missing: 0, gone: [] });
  });

  it("count as put right, and not at all where they are no dice", () => {
    const one = asked({}, [...FACES, null]);
    fixDie(0, "ouch");
    expect(throwOf(one).faces[0]).toBe("ouch");
    fixDie(1, null);
    expect(throwOf(one)).toMatchObject({ faces: ["ouch", ...FACES.slice(2)], missing: 1 });
    expect(faceOf(die("heal"), 1)).toBeNull();
    expect(faceOf(die("heal"), 2)).toBe("heal");
  });

  it("are too many by a negative number of missing ones", () => {
    expect(throwOf(asked({ dice: 5 }, FACES)).missing).toBe(-1);
  });

  it("are no throw while some are in somebody's hand", () => {
    asked({ showing: FACES, rethrow: [0, 1] }, FACES.slice(2));
    expect(activeProposal.value).toBeNull();
    asked({ showing: FACES, rethrow: [0, 1] }, FACES);
    expect(activeProposal.value).not.toBeNull();
  });
});

describe("dice read after a throw that was told", () => {
  const showing = FACES;

  it("in another order on the tray are the same dice", () => {
    const one = asked({ showing, rethrow: [0, 1, 2, 3, 4, 5] }, [...FACES].reverse());
    expect(throwOf(one)).toEqual({ faces: FACES, rethrown: [], missing: 0, gone: [] });
  });

  it("with another face were thrown again: that one is gone", () => {
    const read: Face[] = ["heal", "attack", "heal", "energy", "ouch", "celebrity"];
    const one = asked({ showing, rethrow: [0, 1, 2, 3, 4, 5] }, read);
    const found = throwOf(one);
    expect(found.rethrown).toHaveLength(1);
    const [index] = found.rethrown;
    expect(showing[index ?? -1]).toBe("attack");
    expect(found.gone).toEqual(found.rethrown);
    expect([...found.faces].sort()).toEqual([...read].sort());
  });

  it("and marked by a thumb may show the same face, and are not gone", () => {
    const one = asked({ showing, rethrow: [0, 1, 2, 3, 4, 5] }, FACES);
    toggleRethrown(2);
    expect(throwOf(one)).toEqual({ faces: FACES, rethrown: [2], missing: 0, gone: [] });
  });

  it("and marked take the new face, the others keep their places", () => {
    const read: Face[] = ["attack", "attack", "celebrity", "energy", "ouch", "ouch"];
    const one = asked({ showing, rethrow: [0, 1, 2, 3, 4, 5] }, read);
    toggleRethrown(2);
    expect(throwOf(one)).toEqual({
      faces: ["attack", "attack", "ouch", "energy", "ouch", "celebrity"],
      rethrown: [2],
      missing: 0,
      gone: [],
    });
  });
});

describe("marking dice as thrown again", () => {
  it("by hand goes kept, thrown, kept; and a named one is unnamed first", () => {
    asked({ showing: FACES, rethrow: [0, 1] });
    toggleRethrown(1);
    expect(thrown.value).toEqual({ 1: null });
    toggleRethrown(1);
    expect(thrown.value).toEqual({});
    toggleRethrown(1);
    nameRethrown("ouch");
    expect(thrown.value).toEqual({ 1: "ouch" });
    toggleRethrown(1);
    expect(thrown.value).toEqual({ 1: null });
  });

  it("with a camera that reads goes back at once", () => {
    asked({ showing: FACES, rethrow: [0, 1] }, FACES);
    toggleRethrown(0);
    toggleRethrown(0);
    expect(thrown.value).toEqual({});
  });

  it("names the first that has no face, and nothing where all have", () => {
    const one = asked({ showing: FACES, rethrow: [0, 1, 2] });
    countByHand();
    toggleRethrown(2);
    toggleRethrown(0);
    nameRethrown("celebrity");
    expect(throwOf(one)).toMatchObject({ rethrown: [0, 2], missing: 1 });
    nameRethrown("heal");
    nameRethrown("ouch");
    expect(thrown.value).toEqual({ 0: "celebrity", 2: "heal" });
    expect(throwOf(one)).toMatchObject({
      faces: ["celebrity", "attack", "heal", "energy", "ouch", "celebrity"],
      missing: 0,
    });
  });
});

describe("what may be said of a throw", () => {
  const whole = { faces: FACES, rethrown: [], missing: 0, gone: [] };

  it("is nothing while dice are missing or too many", () => {
    for (const missing of [1, -1]) {
      expect(throwOptions(question({ counted: true }), { ...whole, missing })).toEqual({
        apply: false,
        again: false,
      });
    }
  });

  it("is that it is the roll; throws one by one only where they count", () => {
    expect(throwOptions(question(), whole)).toEqual({ apply: true, again: false });
    expect(throwOptions(question({ counted: true }), whole)).toEqual({ apply: true, again: true });
    expect(throwOptions(question({ counted: true, more: false }), whole)).toEqual({
      apply: true,
      again: false,
    });
  });

  it("hangs on throws that a card demands: one is made by a fresh throw, two are not", () => {
    const showing = { showing: FACES, rethrow: [0], counted: true };
    expect(throwOptions(question({ ...showing, owed: 1 }), whole).apply).toBe(false);
    expect(throwOptions(question({ ...showing, owed: 1 }), { ...whole, rethrown: [0] }).apply).toBe(
      true,
    );
    expect(throwOptions(question({ ...showing, owed: 2 }), { ...whole, rethrown: [0] })).toEqual({
      apply: false,
      again: true,
    });
    expect(throwOptions(question({ ...showing, owed: 0 }), whole)).toEqual({
      apply: true,
      again: false,
    });
  });

  it("is told throw by throw where throws count, or once one was", () => {
    expect(countsThrows(question())).toBe(false);
    expect(countsThrows(question({ counted: true }))).toBe(true);
    expect(countsThrows(question({ showing: FACES }))).toBe(true);
  });
});
