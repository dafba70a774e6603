/** Lines of the log: what somebody did, then what came of it; a dial turned on and on is one line. */
import type { Cause, Change, LogRow, NewsLine, Words } from "../../wire";

export interface LogLine {
  readonly key: string;
  /** Whether it came of the row above it. */
  readonly came: boolean;
  readonly turn: number;
  /** Whose turn it is. */
  readonly active: number;
  readonly sign: string;
  readonly words: Words;
  readonly why: readonly Cause[];
  readonly changes: readonly Change[];
  readonly undone: boolean;
  readonly ahead: boolean;
  readonly at: string;
  readonly by: string;
  /** Whether the dice tray sent it. */
  readonly tray: boolean;
}

const SAME = (one: Change, other: Change) => one.seat === other.seat && one.what === other.what;

/** The changes of several rows taken together, without numbers that are what they were. */
function net(changes: readonly Change[]): readonly Change[] {
  const found: Change[] = [];
  for (const change of changes) {
    const at = found.findIndex((one) => SAME(one, change));
    const before = found[at]?.before ?? change.before;
    if (at < 0) found.push(change);
    else found[at] = { ...change, before };
  }
  return found.filter((one) => one.before !== one.after);
}

function ownLine(row: LogRow, changes: readonly Change[]): LogLine {
  const shown = row.happened.flatMap((one) => one.changes);
  const own = net(changes).filter((one) => !shown.some((other) => SAME(one, other)));
  return { ...row, key: `${row.seq}`, came: false, changes: own };
}

function cameOf({ seq, undone, at }: LogRow, one: NewsLine, index: number): LogLine {
  const key = `${seq}.${index}`;
  return { ...one, key, came: true, undone, at, ahead: false, by: "", tray: false };
}

/** The lines of these rows, oldest first. */
export function linesOf(rows: readonly LogRow[]): readonly LogLine[] {
  const lines: LogLine[] = [];
  let changes: readonly Change[] = [];
  rows.forEach((row, index) => {
    const next = rows[index + 1];
    changes = [...changes, ...row.changes];
    if (next?.joins && next.undone === row.undone) return;
    if (!row.quiet) lines.push(ownLine(row, changes));
    lines.push(...row.happened.map((one, n) => cameOf(row, one, n)));
    changes = [];
  });
  return lines;
}
