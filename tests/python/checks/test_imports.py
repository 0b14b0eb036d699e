# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The import check finds what points upwards or in a circle, and this package has none of it."""

import subprocess
import sys

import pytest

MODULES = (
    *("errors", "run", "info", "start", "__main__", "shared/text", "cli/tree", "bench/plan"),
    *("bench/run", "repro/plan", "conformance/plan", "conformance/__main__"),
    *("profile/cli", "profile/reading/log", "profile/analysing/spans"),
    *("profile/analysing/advice/facts", "profile/showing/terminal"),
)


def check(root, *arguments):
    command = [sys.executable, root / "tools/check_imports.py", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def package(tmp_path):
    """The layers, with a module or two in each and no imports."""
    for name in MODULES:
        path = tmp_path / "python/xomp" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
        (path.parent / "__init__.py").write_text("")
    return tmp_path / "python/xomp"


def test_this_package_points_downwards(root):
    done = check(root)
    assert done.stdout == ""
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("shared/text", "from xomp.errors import tell"),
        ("repro/plan", "from xomp.bench.plan import Case"),
        ("repro/plan", "from xomp.bench import plan, run"),
        ("profile/cli", "def show():\n    from xomp.profile.showing import terminal"),
        ("profile/analysing/advice/facts", "from xomp.profile.analysing.spans import Spans"),
        ("conformance/__main__", "from xomp.start import main"),
        ("run", "from xomp import __version__"),
        ("errors", "import sys, numpy.linalg"),
    ],
)
def test_downward_imports_are_allowed(root, package, module, line):
    (package / f"{module}.py").write_text(f"{line}\n")
    done = check(root, package)
    assert done.stdout == ""
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("module", "line", "name"),
    [
        ("profile/cli", "from xomp.bench.plan import Case", "xomp.bench.plan"),
        ("profile/cli", "from xomp.repro import plan", "xomp.repro.plan"),
        ("profile/reading/log", "from xomp.profile.analysing import spans", "analysing.spans"),
        ("profile/analysing/spans", "import xomp.profile.showing.terminal", "showing.terminal"),
        ("profile/analysing/advice/facts", "import xomp.profile.cli as cli", "xomp.profile.cli"),
        ("bench/plan", "if True:\n    from xomp.repro.plan import Plan", "xomp.repro.plan"),
        ("conformance/plan", "def late():\n    import xomp.bench.plan", "xomp.bench.plan"),
        ("shared/text", "from xomp.cli.tree import Entry", "xomp.cli.tree"),
        ("errors", "from xomp.shared import text", "xomp.shared.text"),
        ("run", "from xomp import info", "xomp.info"),
        ("cli/tree", "from xomp.start import main", "xomp.start"),
        ("bench/plan", "from xomp.nowhere import x", "xomp.nowhere"),
        ("bench/plan", "from . import run", "."),
    ],
)
def test_upward_and_unknown_imports_are_named(root, package, module, line, name):
    (package / f"{module}.py").write_text(f"\n{line}\n")
    done = check(root, package)
    assert done.returncode == 1
    at = 2 + line.count("\n")
    assert f"python/xomp/{module}.py:{at}: " in done.stdout
    assert f"{name}'" in done.stdout


def test_a_circle_is_named(root, package):
    (package / "bench/plan.py").write_text("from xomp.bench.run import Job\n")
    (package / "bench/run.py").write_text("def late():\n    from xomp.bench import plan\n")
    done = check(root, package)
    assert done.returncode == 1
    assert "circle" in done.stdout
    assert "bench/plan.py" in done.stdout and "bench/run.py" in done.stdout


@pytest.mark.parametrize("layer", ["misc", "profile/misc", "profile/misc/deep"])
def test_a_layer_of_its_own_is_named(root, package, layer):
    (package / layer).mkdir(parents=True)
    (package / layer / "things.py").write_text("")
    assert f"'{layer}' is not a layer" in check(root, package).stdout
