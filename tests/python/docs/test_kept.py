# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/kept.md names tests that there are."""

import re


def rows(root):
    page = (root / "docs/kept.md").read_text().partition("## What we do not promise")[0]
    return [line for line in page.splitlines() if re.match(r"\| (?!promise|---)", line)]


def test_each_promise_has_a_test(root):
    assert len(rows(root)) > 10
    for row in rows(root):
        held_by = row.split(" | ")[-1]
        paths = re.findall(r"`(tests/[^`]+)`", held_by)
        assert paths, row
        for path in paths:
            assert (root / path).is_file(), path
        for name, path in re.findall(r"`(\w+)` in `(tests/[^`]+)`", held_by):
            assert f", {name})" in (root / path).read_text(), name
