# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The pages have a place for whatever tools/renew_performance measures, and no other."""

import re
import subprocess

PAGES = ("docs/performance.md", "docs/schedulers/README.md", "docs/profiling.md")
COMMANDS = {
    "crowded": "run",
    "busy": "run",
    "fib-long": "fib",
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
