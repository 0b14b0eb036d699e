# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The pages have a place for whatever tools/renew_performance and renew_benchmarks measure, and no
other: for what sums it up, and in docs/results for all of it."""

import os
import re
import subprocess
from pathlib import Path

PAGES = ("docs/performance.md", "docs/schedulers/README.md", "docs/profiling.md")
COMMANDS = {
    "clang-balance": "balance",
    "clang-fib": "fib",
    "clang-micro": "micro",
    "clang-run": "run",
    "crowded": "run",
    "busy": "run",
    "busy-regions": "run",
    "fib-long": "fib",
    "quota": "run",
    "travel": "producer",
    "policies-uneven": "balance",
    "policies-small": "run",
}


def parts(root):
    """As the tool itself names them, when it is asked for one that there is not."""
    done = subprocess.run(
        [root / "tools/renew_performance", "no-such-part"], capture_output=True, text=True
    )
    assert done.returncode == 2
    return done.stderr.partition("there are ")[2].split()


def places(page):
    return re.findall(r"^<!-- (?!end of )(\S+) -->$", page, re.MULTILINE)


def test_every_part_has_its_place_in_one_page(root):
    pages = [(root / name).read_text() for name in PAGES]
    assert sorted(name for page in pages for name in places(page)) == sorted(parts(root))
    for page in pages:
        for name in places(page):
            assert page.count(f"<!-- {name} -->") == page.count(f"<!-- end of {name} -->") == 1
            assert page.index(f"<!-- {name} -->") < page.index(f"<!-- end of {name} -->")


def test_the_tool_writes_each_part_into_the_page_that_has_its_place(root):
    tool = (root / "tools/renew_performance").read_text()
    elsewhere = dict(re.findall(r"\[([\w-]+)\]=(docs/\S+?\.md)", tool))
    assert set(elsewhere.values()) <= set(PAGES)
    for name in parts(root):
        assert name in places((root / elsewhere.get(name, PAGES[0])).read_text())


def test_the_pages_tell_the_command_of_each_part(root):
    for page in ((root / name).read_text() for name in PAGES):
        for name in places(page):
            command = COMMANDS.get(name, name)
            assert re.search(
                rf"^    tools/renew_performance {name} +# ./xomp bench {command}\b", page, re.M
            )


def measured(root):
    """Each part: the page that sums it up, and that with all tables."""
    for name in PAGES:
        for part in places((root / name).read_text()):
            yield part, root / name, root / f"docs/results/performance/{part}.md"
    tool = (root / "tools/renew_benchmarks").read_text()
    for part in re.search(r"set -- (.*)$", tool, re.MULTILINE)[1].split():
        yield part, root / "docs/benchmarks.md", root / f"docs/results/benchmarks/{part}.md"


def block(page, part):
    text = page.read_text()
    assert text.count(f"<!-- {part} -->") == text.count(f"<!-- end of {part} -->") == 1
    return text.partition(f"<!-- {part} -->\n")[2].partition(f"<!-- end of {part} -->")[0]


def test_every_part_has_all_its_tables_in_a_page_of_results(root):
    every = list(measured(root))
    pages = {page for _, _, page in every}
    assert pages == {*(root / "docs/results").glob("*/*.md")}
    index = (root / "docs/results/README.md").read_text()
    for part, summary, page in every:
        assert places(page.read_text()) == [part]
        assert f"({page.parent.name}/{page.name})" in index
        way = Path(os.path.relpath(page, summary.parent)).as_posix()
        assert f"[All tables of this measurement]({way})." in block(summary, part)


def test_what_sums_a_part_up_is_of_the_same_measurement(root):
    for part, summary, page in measured(root):
        short, whole = block(summary, part), block(page, part)
        assert short.strip().splitlines()[0] == whole.strip().splitlines()[0]
        rows = [line for line in short.splitlines() if line.startswith("| ")]
        assert [line for line in rows if line not in whole] == []
