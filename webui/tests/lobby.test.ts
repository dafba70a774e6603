/** The set-up of the table: changes in quick succession lose nothing, and none of another table come back. */
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Lobby, SeatSetup } from "../src/wire";
import { connect, done, type Reply, refused } from "./transport";
import { update } from "./views";

beforeEach(() => {
  vi.resetModules();
  window.sessionStorage.clear();
});

function seats(...chosen: (string | SeatSetup)[]): Lobby {
  return {
    game: "tokyo",
    edition: "2016",
    house: [],
    seats: chosen.map((one) => ({
      ...(typeof one === "string" ? { player: one, monster: "inkwell" } : one),
      taken: true,
      phones: 1,
    })),
  } as unknown as Lobby;
}

async function load(answer: () => Reply | Promise<Reply>) {
  connect(answer);
  const lobby = await import("../src/store/games");
  const table = await import("../src/store/table");
  const outbox = await import("../src/store/outbox");
  return { ...lobby, ...table, ...outbox };
}

const ANA = { player: "Ana", monster: "inkwell" };
const BEN = { player: "Ben", monster: "inkwell" };

function players(now: Lobby | null): readonly string[] {
  return now?.seats.map((one) => one.player) ?? [];
}

describe("a change of the set-up", () => {
  it("is shown before the view has it, and no longer than that", async () => {
    const page = await load(() => done({ rev: 8 }));
    page.show(update({ rev: 7, game: null, lobby: seats("Ana") }));
    page.setTable({ seats: [ANA, BEN] });
    expect(players(page.lobby.value)).toEqual(["Ana", "Ben"]);
    await vi.waitFor(() => expect(page.pendingCommands.value).toEqual([]));
    expect(players(page.lobby.value)).toEqual(["Ana", "Ben"]);
    page.dismiss();
    expect(players(page.lobby.value)).toEqual(["Ana", "Ben"]);
    page.show(update({ rev: 8, game: null, lobby: seats("Ana", "Benedikt") }));
    expect(players(page.lobby.value)).toEqual(["Ana", "Benedikt"]);
  });

  it("that was refused is not shown", async () => {
    const page = await load(() => refused(409));
    page.show(update({ rev: 7, game: null, lobby: seats("Ana") }));
    page.setTable({ seats: [ANA, BEN] });
    await vi.waitFor(() => expect(page.pendingCommands.value).toEqual([]));
    expect(players(page.lobby.value)).toEqual(["Ana"]);
  });

  it("does not come back with a later command, nor at another table", async () => {
    let rev = 8;
    const page = await load(() => done({ rev: rev++ }));
    page.show(update({ rev: 7, game: null, lobby: seats("Ana") }));
    page.setTable({ seats: [ANA, BEN] });
    await vi.waitFor(() => expect(page.done.value?.rev).toBe(8));
    page.show(update({ rev: 8, game: null, lobby: seats("Ana", "Benedikt") }));
    page.send({ key: "act.put_off", args: {} }, [{ type: "PutOff" }]);
    await vi.waitFor(() => expect(page.done.value?.rev).toBe(9));
    expect(players(page.lobby.value)).toEqual(["Ana", "Benedikt"]);
    page.show(update({ rev: 1, table: "t2", game: null, lobby: seats("Íñigo") }));
    expect(players(page.lobby.value)).toEqual(["Íñigo"]);
  });
});

describe("who starts", () => {
  const THEO = { player: "Théo", monster: "lampmoth" };
  const OTHER = { player: "Ben", monster: "old_scree" };

  async function proposed() {
    const page = await load(() => done({ rev: 8 }));
    page.show(update({ rev: 7, game: null, lobby: seats(ANA, OTHER, THEO) }));
    page.beginAt("start", 2);
    return page;
  }

  it("stays the seat that came last when seats move or get another name", async () => {
    const page = await proposed();
    page.setTable({ seats: [ANA, THEO, OTHER] });
    expect([page.first.value, page.last.value]).toEqual([1, 1]);
    page.setTable({ seats: [ANA, { ...THEO, player: "Théodore" }, OTHER] });
    expect([page.first.value, page.last.value]).toEqual([1, 1]);
  });

  it("is open again when that seat is gone", async () => {
    const page = await proposed();
    page.setTable({ seats: [ANA, OTHER] });
    expect([page.first.value, page.last.value]).toEqual([null, null]);
  });
});
