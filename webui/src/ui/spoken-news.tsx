/** What a screen reader hears of the news, once, whatever screen is shown; a hit of one's own and a question at once. */
import { render } from "preact";
import { announced, asked, watchAsked, watchNews } from "../store/aloud";
import { Spoken } from "./kit";

function SpokenNews() {
  return (
    <>
      <Spoken text={asked.value} now />
      <Spoken text={announced.value.hurt} now />
      <Spoken text={announced.value.other} />
    </>
  );
}

/** Put the live regions beside the page, where no change of screens replaces them, and listen. */
export function speakNews(): void {
  const place = document.createElement("div");
  document.body.append(place);
  render(<SpokenNews />, place);
  watchNews();
  watchAsked();
}
