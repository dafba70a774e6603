/** Rows of the log, oldest first, with a head for every turn. */
import { type LogLine, linesOf } from "../../store/table/log-lines";
import { explained, t } from "../../store/words";
import type { LogRow, SeatView } from "../../wire";
import { Deltas, IdSign } from "./kit";
import { MonsterTile } from "./picture";

/** `seats`: the seats of the rows' game. */
export function LogRows({ rows, seats }: { rows: readonly LogRow[]; seats: readonly SeatView[] }) {
  const lines = linesOf(rows);
  return (
    <>
      {lines.map((one, index) => (
        <Row key={one.key} row={one} fresh={lines[index - 1]?.turn !== one.turn} seats={seats} />
      ))}
    </>
  );
}

/** The hour and minute of a row, as this phone's clock has them. */
export function clock(at: string): string {
  const time = new Date(at);
  return Number.isNaN(time.getTime())
    ? ""
    : `${String(time.getHours()).padStart(2, "0")}:${String(time.getMinutes()).padStart(2, "0")}`;
}

function Row({ row, fresh, seats }: { row: LogLine; fresh: boolean; seats: readonly SeatView[] }) {
  const seat = seats[row.active] ?? null;
  return (
    <>
      {fresh && row.turn > 0 && (
        <p class="log-turn">
          {seat !== null && <MonsterTile monster={seat.monster} size={32} />}
          <b>
            {seat === null
              ? t("status.turn", { turn: row.turn })
              : t("log.turn", { turn: row.turn, seat: seat.seat })}
          </b>
        </p>
      )}
      <div class={`log-row ${row.came ? "came" : ""} ${row.undone ? "undone" : ""}`}>
        <IdSign id={row.sign} size={24} />
        <span class="log-words">
          <span class="log-said">{explained(row)}</span>{" "}
          {row.changes.map((change, index) => (
            <span key={index} class="log-change">
              <Deltas changes={[change]} size={18} />
            </span>
          ))}
          {row.ahead && <small class="muted">{t("log.ahead")}</small>}
          {row.undone && <small class="muted">{t("log.was_undone")}</small>}
        </span>
        <small class="muted">
          {row.tray ? t("by.tray") : row.by === "" ? clock(row.at) : row.by}
        </small>
      </div>
    </>
  );
}
