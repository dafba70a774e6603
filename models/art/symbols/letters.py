"""Letters and numerals of many scripts, from fonts of package.json.

Which are left out because they look like a face (1, 2, 3, a flash, claws) or like another letter in
a turn is written here; what else looks alike is found by shape (`sift.py`).
"""

import unicodedata
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from models.art.glyphs import SPLITS
from models.art.outlines import font_masks
from models.art.symbols.bank import Drawing

HANDS: Final = 8
"""The most fonts that draw one letter of a script, or one numeral of a split."""
FILES: Final = 30
"""The most fonts of a script that are looked at."""
HELD_FONTS: Final = 10
"""Two in so many font families draw Arabic numerals for val and test alone, one for each."""

ADDED_FONTS: Final = frozenset(
    (
        "amiri", "cairo", "catamaran", "comfortaa", "dela-gothic-one", "frank-ruhl-libre", "heebo",
        "hind-siliguri", "itim", "khand", "mochiy-pop-one", "mukta", "noto-sans-armenian",
        "noto-sans-bengali", "noto-sans-devanagari", "noto-sans-georgian", "noto-sans-hebrew",
        "noto-sans-kannada", "noto-sans-khmer", "noto-sans-malayalam", "noto-sans-myanmar",
        "noto-sans-runic", "noto-sans-tamil", "noto-sans-thaana", "noto-sans-thai",
        "noto-serif-thai", "prompt", "rubik", "suez-one", "tajawal", "yusei-magic", "zcool-kuaile",
    )
)  # fmt: skip
"""Fonts that came with the symbols: faces are not printed in them."""


SPECKLED: Final = frozenset({"rubik-dirt", "special-elite", "sancreek", "holtwood-one-sc"})
"""Fonts whose letters cannot be recognised one by one."""


@dataclass(frozen=True, slots=True)
class Script:
    """A script: the subset of fonts that has it, its split and its characters."""

    subset: str
    split: str
    characters: str


def _block(first: int, last: int, without: str = "") -> str:
    """The letters of a Unicode block that stand by themselves."""
    every = (chr(code) for code in range(first, last + 1))
    return "".join(
        c for c in every if unicodedata.category(c) in ("Lo", "Lu", "Ll") and c not in without
    )


_SYLLABLES: Final = "".join(
    chr(0xAC00 + 588 * (code % 19) + 28 * ((code * 7) % 21) + (code * 11) % 28)
    for code in range(0, 399, 2)
)
"""Two hundred Hangul syllables of all first consonants, vowels and ends."""
_KANJI: Final = (
    "十七八九人入大天太犬木本林森火炎水氷雨雪雲風空金玉石田町里村子女男父母友王名前目耳"
    "口手足力心毛体虫貝魚鳥馬牛羊花草竹米糸車舟門戸刀矢文字音楽歌赤青白黒色光朝夜昼春夏秋"
    "冬年月日今午前後左右下内外中北南東西国語道店肉茶麦野原谷池海岩星地球高長多少強弱新"
    "古明暗広行来帰走歩止生死電気食飲薬京都先学校室図書紙絵画会社時間週半分番万円合同点線形"
    "角数知思言話読聞教計算考当作場公園"
)
_HANZI: Final = "龙凤马鸟鱼虎猫狗兔蛇树叶剑盾旗铃钟船桥龟贝丝云电宝灯笔书画茶酒刀"
_HIRAGANA: Final = "あいえおかがきけさすせたぢちつなぬねのはひふへほまみむめもやゆよられわをん"
_KATAKANA: Final = "アイウオカキクケサスセタチテトナネホマムメモヤユラルレロワヲ"

SCRIPTS: Final[dict[str, Script]] = {
    # Left out: what turns into I, 1, 2, 3, a flash, or another letter.
    "latin": Script("latin", "train", "ABCDFGHJKLOPQRTUVXYabefghjkqrty&@?"),
    "greek": Script("greek", "train", "ΔΘΦΨΩαβγδζηθλμξπφψ"),
    "cyrillic": Script("cyrillic", "train", "БДЖЙЛУФЦЩЫЭЮЯъ"),
    "hebrew": Script("hebrew", "train", "אבגדהחטכךלמםנסעפףצץקרת"),
    "arabic": Script("arabic", "train", "بتثجحخدذرزسشصضطظفقكلمنهويةىء"),
    "thai": Script("thai", "train", _block(0xE01, 0xE2E, "รธ")),
    "devanagari": Script("devanagari", "train", _block(0x905, 0x939, "उऊइईओऔअआड")),
    "kannada": Script("kannada", "train", _block(0xC85, 0xCB9)),
    "myanmar": Script("myanmar", "train", _block(0x1000, 0x102A, "ဒ")),
    "khmer": Script("khmer", "train", _block(0x1780, 0x17A2)),
    "thaana": Script("thaana", "train", _block(0x780, 0x7A5)),
    "runic": Script("runic", "train", _block(0x16A0, 0x16EA, "ᛁᛋᛊᛇᛌᛍᚿ")),
    "hangul": Script("korean", "train", _SYLLABLES),
    "hiragana": Script("japanese", "train", _HIRAGANA),
    "katakana": Script("japanese", "train", _KATAKANA),
    "kanji": Script("japanese", "train", _KANJI),
    "hanzi": Script("chinese-simplified", "train", _HANZI),
    "georgian": Script("georgian", "val", _block(0x10D0, 0x10F0, "ვკპჰ")),
    "tamil": Script("tamil", "val", _block(0xB85, 0xBB9, "உஊ")),
    "armenian": Script("armenian", "test", _block(0x531, 0x556, "ՀՅ")),
    "bengali": Script("bengali", "test", _block(0x985, 0x9B9, "ওঔউঊ")),
    "malayalam": Script("malayalam", "test", _block(0xD05, 0xD39, "ഉഊനധഡ")),
}  # fmt: skip

NUMERALS: Final[dict[str, Script]] = {
    "thai": Script("thai", "val", "๐๔๕๖๗๘๙"),
    "tamil": Script("tamil", "val", "௦௪௫௬௭௮௯௰௱௲"),
    "devanagari": Script("devanagari", "test", "०४५७८९"),
    "eastern-arabic": Script("arabic", "test", "٠٤٥٦٧٨٩۴۵۶"),
    "bengali": Script("bengali", "test", "০৪৫৬৭৮৯"),
    "khmer": Script("khmer", "test", "០៤៥៦៧៨៩"),
}
"""Systems of numerals, all held; 1 to 3 are faces and left out in each."""
ROMAN: Final = ("IV", "V", "VI", "VII", "VIII", "IX", "X", "XII", "XIV", "XV", "XX", "L", "D")
ARABIC: Final = ("0", "4", "5", "6", "7", "8", "9", "10", *(str(n) for n in range(12, 21)))

TWINS: Final[Mapping[str, str]] = {
    "q": "b", "9": "6", "O": "0",
}  # fmt: skip
"""Characters that turn into another, or are drawn alike, and count as that one."""


def _slug(character: str) -> str:
    """A character's Unicode name without its script."""
    words = unicodedata.name(character[0], character[0]).lower().split()
    words = [w for w in words if w not in ("letter", "capital", "syllable", "small", "cjk")]
    case = "-small" if character.islower() and character.isascii() else ""
    return "-".join(words[1:] or words).replace("unified-ideograph-", "") + case


def _files(root: Path, subset: str) -> list[Path]:
    """The files of fonts that have the subset: the boldest of each family, and the middle one of
    many.
    """
    chosen = []
    for folder in sorted(root.iterdir()):
        if folder.name in SPECKLED:
            continue
        files = sorted((folder / "files").glob(f"{folder.name}-{subset}-[0-9]00-normal.woff"))
        chosen += files[-1:]
        if len(files) > 3:
            chosen.append(files[len(files) // 2])
    return sorted(chosen, key=lambda path: zlib.crc32(path.stem.encode()))


def _family(path: Path) -> str:
    return path.parent.parent.name


def split_of_font(path: Path) -> str:
    """The split for which a font draws Arabic numerals."""
    place = zlib.crc32(_family(path).encode()) % HELD_FONTS
    return {0: "val", 1: "test"}.get(place, "train")


def _drawn(
    root: Path, script: Script, texts: tuple[str, ...]
) -> Iterator[tuple[str, Path, Drawing]]:
    """Yields each text in each font that has all its characters, as a drawing without a name."""
    for path in _files(root, script.subset)[:FILES]:
        for text, mask in font_masks(path, texts).items():
            yield text, path, Drawing("", "", "", script.split, mask)


def letters(root: Path) -> Iterator[Drawing]:
    """Yields the letters of all scripts; `root` is the folder with the font packages."""
    for script, what in SCRIPTS.items():
        found: dict[str, list[Drawing]] = {}
        for text, path, drawing in _drawn(root, what, tuple(what.characters)):
            slug = _slug(TWINS.get(text, text))
            asset = f"letter:{script}:{_slug(text)}@{_font(path)}"
            named = Drawing(
                asset, f"letters:{script}", f"letter:{script}:{slug}", what.split, drawing.mask
            )
            found.setdefault(text, []).append(named)
        for drawings in found.values():
            yield from sorted(drawings, key=lambda d: zlib.crc32(d.asset.encode()))[:HANDS]


def _font(path: Path) -> str:
    """A font's name without its subset: family and weight."""
    return f"{_family(path)}-{path.stem.split('-')[-2]}"


def numerals(root: Path) -> Iterator[Drawing]:
    """Yields numerals: Arabic ones by fonts in every split, other systems in their own."""
    files = _files(root, "latin")
    for split in SPLITS:
        for path in [path for path in files if split_of_font(path) == split][: 3 * HANDS]:
            for text, mask in font_masks(path, ARABIC).items():
                name = f"numeral:arabic:{TWINS.get(text, text)}"
                asset = f"numeral:arabic:{text}@{_font(path)}"
                yield Drawing(asset, "numerals:arabic", name, split, mask)
    for path in files[:HANDS]:
        for text, mask in font_masks(path, ROMAN).items():
            name = f"numeral:roman:{TWINS.get(text, text)}"
            asset = f"numeral:roman:{text}@{_font(path)}"
            yield Drawing(asset, "numerals:roman", name, "val", mask)
    for system, what in NUMERALS.items():
        for text, path, drawing in _drawn(root, what, tuple(what.characters)):
            name = f"numeral:{system}:{unicodedata.name(text).lower().split()[-1]}"
            if unicodedata.name(text).startswith("EXTENDED"):
                name += "-extended"
            asset = f"{name}@{_font(path)}"
            yield Drawing(asset, f"numerals:{system}", name, what.split, drawing.mask)
