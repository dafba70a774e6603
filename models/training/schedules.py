"""Training schedules: steps, rates and amounts of data of each network."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

NAMES: Final = ("classifier", "corners", "detector")
WARM_STEPS: Final = 200
LOWEST_SHARE: Final = 0.01
COOLED: Final = 0.3
"""The last share of most schedules, in which the rate falls. Until then it is constant, so that a
schedule can be lengthened while it runs (warm-up, stable, decay; Haegele and others 2024 find it as
good as half a cosine)."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """How one network is trained: steps, batch, learning rate and their course."""

    steps: int
    batch: int
    rate: float
    decay: float = 0.01
    average: float = 0.998
    cooled: float = COOLED

    def rate_at(self, step: int) -> float:
        """The learning rate at a step: it rises over the first WARM_STEPS, is constant, and falls
        linearly over the last part `cooled` to LOWEST_SHARE of its height.
        """
        warm = min(1.0, (step + 1) / WARM_STEPS)
        left = (self.steps - step) / (self.cooled * self.steps)
        return self.rate * warm * max(LOWEST_SHARE, min(1.0, left))

    def continues(self, earlier: "Schedule", step: int) -> bool:
        """Whether training under the `earlier` schedule, up to the step, was the same as under this
        one.
        """
        is_stable = step <= (1 - self.cooled) * min(self.steps, earlier.steps)
        return earlier == self or (is_stable and replace(earlier, steps=self.steps) == self)


@dataclass(frozen=True, slots=True)
class TrainConfig:
    """All settings that determine the weights."""

    seed: int = 1
    scenes: int = 6000
    minis: int = 18_000
    """Small renders, each exposed `dataset.EXPOSURES` times."""
    clutter: int = 7000
    """As `minis`, with many foreign dice and dice upon dice."""
    foreign: int = 3000
    """As `minis`, with foreign dice only."""
    symbols: int = 9000
    """As `minis`, with dice whose every side has another symbol."""
    bootstrap: Schedule = field(default=Schedule(2500, 16, 4e-3))
    """A detector alone, which collects the first hard negatives."""
    first_classifier: Schedule = field(default=Schedule(26_000, 128, 8e-3))
    first_corners: Schedule = field(default=Schedule(16_000, 128, 5e-3))
    first_detector: Schedule = field(default=Schedule(6_000, 16, 4e-3))
    classifier: Schedule = field(default=Schedule(9_000, 128, 4e-3, cooled=0.7))
    corners: Schedule = field(default=Schedule(8_000, 128, 4e-3, cooled=0.7))
    detector: Schedule = field(default=Schedule(6_000, 16, 4e-3, cooled=0.7))

    def renders(self) -> dict[str, int]:
        """The number of training renders of each kind."""
        return {
            "minis": self.minis, "clutter": self.clutter, "foreign": self.foreign,
            "scenes": self.scenes, "symbols": self.symbols,
        }  # fmt: skip

    def stages(self) -> tuple[dict[str, Schedule], ...]:
        """The schedules of each stage by name: every network starts from that of the stage before,
        on the hard negatives of that stage's detector.
        """
        return (
            {"detector": self.bootstrap},
            {
                "classifier": self.first_classifier, "corners": self.first_corners,
                "detector": self.first_detector,
            },
            {"classifier": self.classifier, "corners": self.corners, "detector": self.detector},
        )  # fmt: skip

    def scaled(self, share: float) -> "TrainConfig":
        """The same configuration with a share of its pictures and steps."""

        def less(schedule: Schedule) -> Schedule:
            return replace(schedule, steps=round(schedule.steps * share))

        return replace(
            self,
            scenes=round(self.scenes * share),
            minis=round(self.minis * share),
            clutter=round(self.clutter * share),
            foreign=round(self.foreign * share),
            symbols=round(self.symbols * share),
            bootstrap=less(self.bootstrap),
            first_classifier=less(self.first_classifier),
            first_corners=less(self.first_corners),
            first_detector=less(self.first_detector),
            classifier=less(self.classifier),
            corners=less(self.corners),
            detector=less(self.detector),
        )


def has_halves(capabilities: Mapping[str, object]) -> bool:
    """Whether a processor with these capabilities (`torch.cpu.get_capabilities`) multiplies
    bfloat16.

    If it does not, it is emulated, and a step takes ten times as long as in 32 bits.
    """
    return any(bool(capabilities.get(name)) for name in ("amx_bf16", "avx512_bf16", "bf16"))
