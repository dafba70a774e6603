/** The city at night, where nobody stands in it. */
import { Towers } from "../../art/maps/towers";
import { PAPER } from "../../art/palette";

const FAR =
  "0 50 420, 120 70 540, 196 46 580, 306 56 480, 364 52 372, 418 70 494, 484 46 490, 700 52 500, 790 90 418, 916 86 300, 1010 60 570, 1086 60 360, 1130 70 286";
const NEAR =
  "0 48 420, 54 80 610, 142 70 560, 236 64 540, 316 100 600, 420 90 572, 540 50 456, 584 60 450, 650 40 520, 690 56 434, 772 84 610, 880 70 620, 968 56 566, 1040 90 580, 1148 52 500";

export function Skyline() {
  return (
    <svg
      class="skyline"
      viewBox="0 0 1200 1080"
      preserveAspectRatio="xMidYMax slice"
      aria-hidden="true"
      focusable="false"
    >
      <rect width="1200" height="1080" fill="#10141b" />
      <circle cx="930" cy="250" r="150" fill={PAPER} />
      <circle cx="984" cy="204" r="30" fill="#d5cbb7" />
      <circle cx="880" cy="300" r="18" fill="#d5cbb7" />
      <Towers towers={FAR} base={840} fill="#1d2a35" lit={17} pane={5} />
      <Towers towers={NEAR} base={840} fill="#14110f" lit={5} pane={5} />
      <path d="M0 836H1200V1080H0Z" fill="#14110f" />
      <path d="M0 836H1200V846H0Z" fill="#8a7350" />
    </svg>
  );
}
