/** What comes over every screen: what a screen reader hears of the news, and a Monster's fall, for a moment. */
import { render } from "preact";
import { PosterArt } from "../art/monsters";
import { announced, asked, moments, watchAsked, watchNews } from "../store/aloud";
import { game, names, seatOf } from "../store/table";
import { explained, t } from "../store/words";
import { headlineStyle } from "./frame";
import { Deltas, Spoken } from "./kit";
import { DiceRow } from "./table";

function SpokenNews() {
  return (
    <>
      <Spoken text={asked.value} now />
      <Spoken text={announced.value.hurt} now />
      <Spoken text={announced.value.other} />
    </>
  );
}

/** Over whatever is shown; it leaves by itself, or by a tap. A screen reader has heard it. */
function Moment() {
  const [fall] = moments.falls.value;
  const seat = seatOf(fall?.seat ?? null);
  if (fall === undefined || seat === null) return null;
  const headline = t("head.is_out", { monster: seat.seat });
  return (
    <div class="moment col color-ink" aria-hidden="true">
      <b class="headline" style={headlineStyle(headline, 330, 2, 84)}>
        {headline}
      </b>
      <span class="poster-who bold text-18">{names.player(seat.seat)}</span>
      {fall.change !== null && (
        <span class="hit-box rounded on-ink">
          <Deltas changes={[fall.change]} size={56} plain />
        </span>
      )}
      <div class="moment-art grow relative">
        <PosterArt monster={seat.monster} state="out" />
      </div>
      <div class="moment-how on-ink col gap-8 bold">
        <DiceRow faces={game.value?.last_roll ?? []} size={44} />
        {fall.hit !== null && <span>{explained(fall.hit)}</span>}
      </div>
    </div>
  );
}

/** Put both beside the page, where no change of screens replaces them, and listen. */
export function speakNews(): void {
  const place = document.createElement("div");
  document.body.append(place);
  render(
    <>
      <SpokenNews />
      <Moment />
    </>,
    place,
  );
  watchNews();
  watchAsked();
}
