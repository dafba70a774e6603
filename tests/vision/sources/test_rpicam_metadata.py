"""The metadata that `rpicam-vid` writes for each frame."""

from __future__ import annotations

import pytest

from companion.vision.sources.rpicam import CameraValues, Metadata

FOUND = CameraValues(29984, 1.587597, 1.96587, 1.733057, 1.729818)


def frame_text(**other: str | None) -> str:
    """Write the metadata of one frame; `other` replaces values, or omits them (None)."""
    fields: dict[str, str | None] = {
        "ExposureTime": "29984",
        "AnalogueGain": "1.587597",
        "FrameDuration": "66666",
        "LensPosition": "1.729818",
        "DigitalGain": "1.000000",
        "ColourGains": "[ 1.965870, 1.733057 ]",
        "ColourCorrectionMatrix": "[ 1.541116, -0.372801, -0.168312 ]",
        "AfState": "2",
        "ScalerCrop": "(1152, 432)/2304x1728",
        **other,
    }
    lines = [f"{name}={value}" for name, value in fields.items() if value is not None]
    return "\n".join([*lines, "", ""])


def test_the_newest_frame_counts_and_only_once_all_of_it_is_said() -> None:
    metadata = Metadata()
    assert metadata.newest is None
    text = (frame_text(ExposureTime="20000") + frame_text()).encode()
    for at in range(len(text) - 1):
        metadata.feed(text[at : at + 1])
    assert metadata.newest is not None
    assert metadata.newest.exposure == 20_000
    metadata.feed(text[-1:])
    assert metadata.newest == FOUND


@pytest.mark.parametrize(
    "other",
    [
        {"AfState": "1"},
        {"ColourGains": None},
        {"ColourGains": "[ 0.000000, 0.000000 ]"},
        {"ExposureTime": "none"},
        {"AnalogueGain": "[ 1.0, 2.0 ]"},
    ],
)
def test_nothing_is_found_while_it_focuses_or_where_not_all_is_said(
    other: dict[str, str | None],
) -> None:
    metadata = Metadata()
    metadata.feed((frame_text() + frame_text(**other)).encode())
    assert metadata.newest is None
    metadata.feed(frame_text().encode())
    assert metadata.newest == FOUND


@pytest.mark.parametrize(
    ("digital", "gains", "gain"),
    [
        ("1.250000", "[ 1.2, 1.0 ]", 2.0),
        ("1.250000", "[ 0.9, 1.4 ]", 1.6),
        (None, "[ 1.2, 1.0 ]", 1.6),
        ("0.9", "[ 1.2, 1.0 ]", 1.6),
    ],
)
def test_what_brightens_the_picture_afterwards_is_part_of_the_gain(
    digital: str | None, gains: str, gain: float
) -> None:
    text = frame_text(AnalogueGain="1.6", DigitalGain=digital, ColourGains=gains)
    found = CameraValues.of(text)
    assert found is not None
    assert found.gain == pytest.approx(gain)


def test_a_lens_that_does_not_move_is_not_asked_to() -> None:
    found = CameraValues.of(frame_text(LensPosition=None, AfState="0"))
    assert found is not None
    assert found.options() == (
        *("--shutter", "29984us", "--gain", "1.5876"),
        *("--awbgains", "1.9659,1.7331"),
    )


def test_what_is_said_without_an_end_is_not_kept() -> None:
    metadata = Metadata()
    metadata.feed(frame_text().encode())
    for _ in range(40):
        metadata.feed(b"no such option\n" * 200)
    assert metadata.newest == FOUND
    assert len(metadata._held) < 1 << 16
    metadata.feed(b"\xff\n\n")
    assert metadata.newest is None
