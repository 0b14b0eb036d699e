# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tools/site.py FOLDER [--xomp COMMAND]: gathers the pages of the site. They are the tree's own, in
the tree's own folders, so that their links hold; with pictures of the benchmarks' tables, and a
report of docs/examples/sort.c, recorded here and now."""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path

from pictures import draw, rows

ROOT = Path(__file__).resolve().parent.parent
SHOWN_WIDTH = "The nearer to the left, the faster. Whiskers: 95% intervals."

CSS = """\
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Wide tables scroll by themselves; the page does not. */
.md-typeset table:not([class]) { display: block; overflow-x: auto; max-width: 100%; }
.md-typeset table:not([class]) :is(th, td) { padding: 0.5em 1em; }
.md-typeset table:not([class]) code { white-space: nowrap; }
.md-typeset img { background: white; }
.md-grid { max-width: 80rem; }
"""

EXAMPLE = """\
# An example of a report

`xomp profile` ran this merge sort, once on one thread and once as it is; `xomp report --html` made
[a page for a browser](report.html) of the run. [Where the time goes](../profiling.md) explains it.

```c
{source}```

What `xomp report` says of it:

```text
{report}```
"""


def pages() -> list[Path]:
    skipped = ("build", ".cache", "tests", "bench", "venv")
    found = (path.relative_to(ROOT) for path in ROOT.rglob("*.md"))
    return sorted(path for path in found if not path.parts[0].startswith(skipped))


def illustrate(page: Path) -> None:
    text = page.read_text()
    titles, table = rows(text)
    pictures = []
    for threads in dict.fromkeys(row[1] for row in table):
        name = f"applications-{threads}.svg"
        draw(titles, table, threads, page.parent / "pictures" / name)
        pictures.append(f"![The table below for {threads} threads](pictures/{name})\n")
    line = next(each for each in text.splitlines() if re.match(r"\| application +\| threads", each))
    page.write_text(text.replace(line, "\n".join([*pictures, SHOWN_WIDTH, "", line]), 1))


def example(folder: Path, xomp: Path) -> None:
    source = ROOT / "docs/examples/sort.c"
    program, logs = folder.parent / "sort", folder.parent / "sort.profile"
    subprocess.run(["gcc", "-O2", "-g", "-fopenmp", source, "-o", program], check=True)
    shutil.rmtree(logs, ignore_errors=True)
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run([xomp, "profile", "--output", logs, "--", program], check=True, **quiet)
    there = folder / "docs/example"
    there.mkdir(parents=True)
    made = subprocess.run(
        [xomp, "report", logs, "--html", there / "report.html"],
        check=True,
        capture_output=True,
        text=True,
    )
    told = re.sub(r"^Wrote .*\n", "", made.stdout, flags=re.M)
    told = told.replace(f"{folder.parent}/", "")
    (there / "README.md").write_text(EXAMPLE.format(source=source.read_text(), report=told))


def gather(folder: Path, xomp: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    for page in pages():
        target = folder / page
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / page, target)
    shutil.copytree(ROOT / "docs/pictures", folder / "docs/pictures", dirs_exist_ok=True)
    (folder / "site.css").write_text(CSS)
    shutil.copyfile(ROOT / "tools/site_worker.js", folder / "iframe-worker.js")
    illustrate(folder / "docs/results/benchmarks/all.md")
    example(folder, xomp)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--xomp", type=Path, default=ROOT / "xomp")
    given = parser.parse_args()
    gather(given.folder.resolve(), given.xomp)
    return 0


if __name__ == "__main__":
    sys.exit(main())
