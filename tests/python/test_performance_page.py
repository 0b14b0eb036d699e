# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/performance.md has a place for whatever tools/renew_performance measures, and no other."""

import re
import subprocess


def parts(root):
    """As the tool itself names them, when it is asked for one that there is not."""
    done = subprocess.run(
        [root / "tools/renew_performance", "no-such-part"], capture_output=True, text=True
    )
    assert done.returncode == 2
    return done.stderr.partition("there are ")[2].split()


def test_every_part_has_its_place_in_the_page(root):
    page = (root / "docs/performance.md").read_text()
    names = re.findall(r"^<!-- (?!end of )(\S+) -->$", page, re.MULTILINE)
    assert sorted(names) == sorted(parts(root))
    for name in names:
        assert page.count(f"<!-- {name} -->") == page.count(f"<!-- end of {name} -->") == 1
        assert page.index(f"<!-- {name} -->") < page.index(f"<!-- end of {name} -->")


def test_page_tells_the_command_of_each_part(root):
    page = (root / "docs/performance.md").read_text()
    for name in parts(root):
        command = {"crowded": "run"}.get(name, name)
        assert re.search(
            rf"^    tools/renew_performance {name} +# ./xomp bench {command}\b", page, re.M
        )
