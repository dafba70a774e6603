"""Mutations anchored on names and syntax: what matches, what is refused, and what stays
unchanged.
"""

from __future__ import annotations

import ast

import pytest

from tests.breaks.anchors import StaleChangeError, swapped
from tests.breaks.changes import unbroken
from tests.breaks.new_york import ANY_HURT_LETS_FLEE

FILES = {
    "cards/tokyo.py": '''
"""Cards."""

# A comment that stays.
CARDS = deck(
    keep("wings", 6, fly, flee),
    keep("jets", 5,   flee, copies=2),  # another
)

@whenever(Damage, mine=True)
def fly(my, hurt):
    """Rise."""
    if hurt.amount > 1 and my.energy:
        left = hurt.amount - 1
        spend(my, 2)
        return left
    return f"{my.seat}"

def lead(my):
    return 1
''',
    "rules/tokyo.py": """
GOAL: Final = 20
RULES = Rules(dice=6, rolls=3, phases=(Roll, Buy, End))

def lead(my):
    return 1

class Heal(Effect):
    counted = True

    def fitted(self, now):
        def most(x):
            return x + 1
        return most(now)

    async def later(self):
        return 2
""",
    "rules/new_york.py": """
def lead(my):
    return 1
""",
}


def after(where: str, old: str, new: str) -> str:
    """Return the one file that the mutation changes."""
    files = swapped(FILES, where, old, new)
    [path] = [path for path in FILES if files[path] != FILES[path]]
    ast.parse(files[path])
    return files[path]


@pytest.mark.parametrize(
    ("where", "old", "new", "line"),
    [
        ("fly", "hurt.amount > 1", "True", "    if True and my.energy:"),
        ("fly", "mine=True", "", "@whenever(Damage)"),
        ("fly", "whenever(Damage, mine=True)", "always", "@always"),
        ("fly", "whenever(Damage, mine=True)", "", "def fly(my, hurt):"),
        ("fly", 'f"{my.seat}"', "None", "    return None"),
        ("fly", "spend(my, 2)", "pass", "        pass"),
        ("lead", "1", "2", "    return 2"),
        ("GOAL", "20", "21", "GOAL: Final = 21"),
        ("RULES", "rolls=3", "rolls=2", "RULES = Rules(dice=6, rolls=2, phases=(Roll, Buy, End))"),
        ("RULES", "rolls=3", "", "RULES = Rules(dice=6, phases=(Roll, Buy, End))"),
        (
            "RULES",
            "rolls=3",
            "rolls=2, health=1",
            "RULES = Rules(dice=6, rolls=2, health=1, phases=(Roll, Buy, End))",
        ),
        (
            "RULES",
            "Buy, End",
            "End, Buy",
            "RULES = Rules(dice=6, rolls=3, phases=(Roll, End, Buy))",
        ),
        ("Heal", "counted = True", "counted = False", "    counted = False"),
        ("Heal.fitted", "most(now)", "0", "        return 0"),
        ("Heal.fitted.most", "x + 1", "x", "            return x"),
        ("Heal.later", "2", "3", "        return 3"),
    ],
)
def test_what_stands_once_within_a_name_is_replaced(
    where: str, old: str, new: str, line: str
) -> None:
    assert line in after(f"rules.tokyo::{where}" if where == "lead" else where, old, new).split(
        "\n"
    )


def test_statements_are_found_in_a_row_and_may_become_others() -> None:
    text = after(
        "fly", "left = hurt.amount - 1\nspend(my, 2)", "while my:\n    spend(my, 3)\nleft = 0"
    )
    assert (
        "        while my:\n            spend(my, 3)\n        left = 0\n        return left\n"
        in text
    )


def test_an_emptied_body_passes() -> None:
    text = after("Heal.fitted", "def most(x):\n    return x + 1\nreturn most(now)", "")
    assert "    def fitted(self, now):\n        pass\n" in text


def test_a_row_of_a_table_is_named_by_its_first_argument() -> None:
    assert "keep('wings', 6, fly)" in after('keep("wings")', "flee", "")
    assert "wings" not in after('keep("wings")', 'keep("wings", 6, fly, flee)', "")


@pytest.mark.parametrize(
    "old",
    [
        "hurt.amount>1 and my.energy",
        "hurt . amount > 1 and (my.energy)",
        "hurt.amount > 1 and my.energy  # a comment",
        "(\n    hurt.amount > 1\n    and my.energy\n)",
        "  hurt.amount > 1 and my.energy",
    ],
)
def test_layout_and_comments_do_not_matter(old: str) -> None:
    assert "    if False:" in after("fly", old, "False")


def test_layout_of_the_source_does_not_matter_either() -> None:
    same = {path: ast.unparse(ast.parse(text)) for path, text in FILES.items()}
    changed = swapped(same, "fly", "hurt.amount > 1", "True")
    assert ast.dump(ast.parse(changed["cards/tokyo.py"])) == ast.dump(
        ast.parse(after("fly", "hurt.amount > 1", "True"))
    )


def test_all_lines_of_other_statements_stay() -> None:
    text = after("fly", "spend(my, 2)", "spend(my, 3)")
    [before] = FILES["cards/tokyo.py"].split("@whenever")[:1]
    assert text.startswith(before)
    assert text.endswith("\n\ndef lead(my):\n    return 1\n")


def test_a_file_that_moved_is_still_found() -> None:
    files = {f"elsewhere/{number}.py": text for number, text in enumerate(FILES.values())}
    assert "GOAL: Final = 21" in swapped(files, "GOAL", "20", "21")["elsewhere/1.py"]


def test_the_rules_may_be_cut_into_other_files() -> None:
    """All rules in one file per statement, in a folder of another name: a break still finds its."""
    apart = {
        f"{path}/{number}.py": ast.unparse(statement)
        for path, text in unbroken().items()
        for number, statement in enumerate(ast.parse(text).body)
    }
    [change] = ANY_HURT_LETS_FLEE
    changed = change.made(apart)
    assert sum(changed[path] != apart[path] for path in apart) == 1


def test_a_part_of_the_path_tells_two_of_a_name_apart() -> None:
    assert "return 2" in swapped(FILES, "new_york::lead", "1", "2")["rules/new_york.py"]
    assert "return 2" in swapped(FILES, "cards::lead", "1", "2")["cards/tokyo.py"]
    with pytest.raises(StaleChangeError, match="`tokyo::lead` is defined 2 times"):
        swapped(FILES, "tokyo::lead", "1", "2")


@pytest.mark.parametrize(
    ("where", "old", "new", "why"),
    [
        ("gone", "1", "2", "No function, class, constant or row is called `gone`: was it renamed?"),
        ("gone::fly", "1", "2", "is called `gone::fly`"),
        ("Heal.gone", "1", "2", "is called `Heal.gone`"),
        ('keep("gone")', "1", "2", "is called `keep"),
        ("keep(gone)", "1", "2", "names no row"),
        ("keep(", "1", "2", "is called `keep"),
        ('keep("wings", )) )', "1", "2", "names no row"),
        ("lead", "1", "2", "defined 3 times .cards/tokyo.py, rules/new_york.py, rules/tokyo.py."),
        ("fly", "energy", "stars", "`energy` is not in `fly` .cards/tokyo.py"),
        ("fly", "hurt.amount", "0", "is 2 times in `fly` .cards/tokyo.py.: quote more"),
        ("fly", "dice=6", "dice=5", "is not in `fly`"),
        ("fly", "1 +", "1", "not the same kind of thing, or not Python"),
        ("fly", "", "1", "not the same kind"),
        ("fly", "hurt.amount > 1", "(hurt.amount>1)", "nothing would change"),
        ("fly", "hurt.amount > 1", "", "the result is not Python"),
        ("GOAL", "20", "", "is not in `GOAL`"),
    ],
)
def test_what_does_not_fit_is_refused_in_a_sentence(
    where: str, old: str, new: str, why: str
) -> None:
    with pytest.raises(StaleChangeError, match=why):
        swapped(FILES, where, old, new)
