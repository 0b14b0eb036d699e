# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/schedulers/: each policy of the papers has a page with the paper's sentences, what the code
does and the test that shows it; and these tests are there."""

import re

import pytest

from xomp.repro import registry
from xomp.run import SCHEDULERS

OF_PAPERS = [name for name in SCHEDULERS if name != "auto"]
HEADING = re.compile(r"^\*\*What the papers? says?, and where to see it\.\*\*\n\n", re.MULTILINE)
SUITE = re.compile(r"^TEST(?:_[FP])?\(\w+, (\w+)\)", re.MULTILINE)
UNIT = re.compile(r"`unit/(\w+)`((?:(?:: |, )`[A-Z]\w+`)*)")


def page(root, name):
    return (root / "docs/schedulers" / f"{name}.md").read_text()


def table(text):
    """The rows below the heading, cells apart, without header and rule."""
    begin = HEADING.search(text)
    assert begin, "no table of the paper's sentences"
    rows = []
    for line in text[begin.end() :].splitlines():
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split(" | ")])
    assert rows[0][-1] == "shown by"
    return rows[0], rows[2:]


@pytest.mark.parametrize("name", OF_PAPERS)
def test_each_sentence_names_its_place_and_what_shows_it(root, name):
    text = page(root, name)
    header, rows = table(text)
    assert rows and "](letter.md)" in text
    for row in rows:
        assert len(row) == len(header), row
        assert re.search(r"\b(section|Table|Fig\.)", f"{header[0]} {row[0]}"), row[0]
        assert re.search(r"`(unit|order|programs|xomp repro)\b|\(letter\.md\)", row[-1]), row[-1]


@pytest.mark.parametrize("name", OF_PAPERS)
def test_what_shows_it_is_there(root, name):
    text = page(root, name)
    tests = root / "tests"
    for suite, cases in UNIT.findall(text):
        there = SUITE.findall((tests / f"unit/{suite}_test.cc").read_text())
        for case in re.findall(r"`(\w+)`", cases):
            assert case in there, f"{suite}: {case}"
    for program in re.findall(r"`programs/([\w./]+)`", text):
        assert (tests / "programs" / program).exists(), program
    for order in re.findall(r"`order/(\w+)`", text):
        assert (tests / f"orders/{order}.cc").exists(), order
    for experiment in re.findall(r"`xomp repro (p\d-\w+)", text):
        assert registry.find(experiment)[0].id == experiment
