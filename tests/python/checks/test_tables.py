# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tables of the runtime, and what is made of them: reports, command line, documents."""

import importlib.util
import re
import subprocess
from importlib.machinery import SourceFileLoader

import pytest

from xomp.choices import BARRIERS, SCHEDULERS
from xomp.profile.analysing.spans import State
from xomp.profile.reading.kinds import STATES, Kind


@pytest.fixture(scope="module")
def make_tables(root):
    """The tool as a module; its file has no suffix."""
    loader = SourceFileLoader("make_tables", str(root / "tools/make_tables"))
    spec = importlib.util.spec_from_loader("make_tables", loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def kinds_text(root) -> str:
    return (root / "runtime/trace/kinds.def").read_text()


def names_in(text: str, macro: str) -> list[str]:
    return re.findall(rf'^{macro}\(\w+, "([^"]+)"', text, re.MULTILINE)


def test_made_files_are_what_the_tables_say(root):
    done = subprocess.run([root / "tools/make_tables", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_another_line_in_a_table_makes_other_files(make_tables, kinds_text):
    """The check above cannot pass because nothing is read."""
    line = 'XOMP_KIND(TaskYield, 99, span, call, schedule, "taskyield")\n'
    kinds = make_tables.kinds_of(kinds_text + line)
    reasons = make_tables.reasons_of('XOMP_AT_ONCE(kRain, at_once_rain, "it rained") ///< always\n')
    flags = make_tables.flags_of('XOMP_FLAG(Stall, NotAtAll, 2, "awake") // spinning\n')
    python = make_tables.python_kinds(kinds, reasons, flags)
    script = make_tables.script_kinds(kinds, reasons, flags)
    assert "    TASK_YIELD = 99\n" in python
    assert '("at_once_rain", "it rained"),\n' in python
    assert "class StallFlag(IntFlag):\n    NOT_AT_ALL = 2  # awake\n" in python
    assert "export const TASK_YIELD = 99;\n" in script
    assert '  "it rained",\n' in script
    assert '  STALL: {\n    NOT_AT_ALL: [2, "awake"],\n  },\n' in script


def test_a_log_has_room_for_four_reasons(make_tables):
    line = 'XOMP_AT_ONCE(kRain, at_once_rain, "it rained")\n'
    assert len(make_tables.reasons_of(4 * line)) == 4
    for text in ("", 5 * line):
        with pytest.raises(make_tables.TableError):
            make_tables.reasons_of(text)


@pytest.mark.parametrize(
    "line",
    [
        'XOMP_KIND(TaskYield, 99, span, call, none, "taskyield")',  # would count as nothing known
        'XOMP_KIND(TaskYield, 99, point, none, work, "taskyield")',
        'XOMP_KIND(TaskYield, 99, span, call, resting, "taskyield")',
        'XOMP_KIND(TaskYield, 99, blob, call, work, "taskyield")',
        'XOMP_KIND(TaskYield, 23, span, call, schedule, "taskyield")',  # PROCESSOR has it
        'XOMP_KIND(TaskYield, 128, span, call, schedule, "taskyield")',
        'XOMP_KIND(Task, 29, span, call, schedule, "task")',
    ],
)
def test_a_kind_that_makes_no_sense_is_refused(make_tables, kinds_text, line):
    with pytest.raises(make_tables.TableError):
        make_tables.kinds_of(f"{kinds_text}{line}\n")


@pytest.mark.parametrize(
    "line",
    [
        'XOMP_FLAG(Stall, Slept, 2, "slept")',
        'XOMP_FLAG(Stall, Awake, 1, "awake")',  # Slept has it
        'XOMP_FLAG(Stall, Awake, 256, "awake")',
        'XOMP_FLAG(Stall, Awake, 0, "awake")',
    ],
)
def test_a_flag_that_makes_no_sense_is_refused(make_tables, line):
    with pytest.raises(make_tables.TableError):
        make_tables.flags_of(f'XOMP_FLAG(Stall, Slept, 1, "slept")\n{line}\n')


def test_the_format_page_has_each_flag(root, make_tables):
    page = (root / "docs/perflog-format.md").read_text()
    cells = re.findall(r"^\| \d+ \| `(\w+)`.*\| ([^|]*) \|$", page, re.MULTILINE)
    groups = make_tables.flags_of((root / make_tables.FLAGS).read_text())
    for group, flags in groups.items():
        name = make_tables.constant(group)
        cell = " ".join(cell for kind, cell in cells if kind.startswith(name))
        for flag, value, _ in flags:
            assert re.search(rf"\b{value}\b", cell), f"{group}, {flag}: {cell}"


def test_states_are_those_that_the_analysis_knows(make_tables):
    named = {name.upper() for name in make_tables.STATES} - {"NONE"}
    assert named <= {state.name for state in State}
    assert set(STATES.values()) <= named


def test_the_format_page_has_each_kind_and_no_other(root):
    page = (root / "docs/perflog-format.md").read_text()
    shown = re.findall(r"^\| (\d+) \| `(\w+)`", page, re.MULTILINE)
    assert sorted((int(number), name) for number, name in shown) == [
        (int(kind), kind.name) for kind in sorted(Kind)
    ]


def test_choices_are_those_of_the_library(root, library):
    """What the library says that it accepts, and not only what its table says."""
    code = "import ctypes, sys; ctypes.CDLL(sys.argv[1]).omp_get_max_threads()"
    done = subprocess.run(
        ["python3", "-IS", "-c", code, library],
        env={"XOMP_SCHEDULER": "none", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
    )
    accepted = re.search(r"is none of ([^;]*);", done.stderr)
    assert accepted, done.stderr
    assert tuple(accepted[1].split(", ")) == SCHEDULERS
    assert tuple(names_in((root / "runtime/conf/barriers.def").read_text(), "XOMP_BARRIER")) == (
        BARRIERS
    )


def test_the_page_of_variables_has_each_and_no_other_of_xomp(root):
    text = (root / "runtime/conf/variables.def").read_text()
    known = set(names_in(text, "XOMP_VARIABLE"))
    page = (root / "docs/variables.md").read_text()
    shown = set(re.findall(r"^\| `((?:[XG]?O|K)MP_\w+)`", page, re.MULTILINE))
    assert known - shown == set()
    assert {name for name in shown - known if name.startswith("XOMP_")} == set()
