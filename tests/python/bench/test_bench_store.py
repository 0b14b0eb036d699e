# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results files: what is written is read back, and an interrupted run goes on where it stopped."""

import contextlib
import json
import os
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from bench_shared import main
from processes import started
from xomp.bench import applications, beside, measure, store
from xomp.bench.pages import Table
from xomp.errors import BadInputError

ARGUMENTS = ["fib", "--runtimes", "libgomp", "--threads", "1,2", "--size", "test", "--no-plot"]


def lines_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def runs_of(path):
    return [(line["threads"], line["round"]) for line in lines_of(path) if line["kind"] == "run"]


@pytest.fixture
def finished(tmp_path):
    path = tmp_path / "whole.jsonl"
    assert main(["run", *ARGUMENTS, "--rounds", "3", "--output", str(path)]) == 0
    return path


def again(path, *more):
    return main(["run", *ARGUMENTS, "--rounds", "3", "--output", str(path), *more])


def test_file_tells_machine_plan_and_every_run(finished):
    head, *runs, end = lines_of(finished)
    for fact in ("machine", "cpu", "kernel", "compiler", "libc", "topology", "commit", "seed"):
        assert head[fact]
    assert [each["runtime"] for each in head["runtimes"]] == ["libgomp"]
    assert len(runs) == len(set(runs_of(finished))) == 2 * 4
    assert all(run["records"][0]["ok"] == 1 for run in runs)
    assert end["kind"] == "end"


def busy_children():
    """Processes of `--beside` that this one has started."""
    found = []
    for folder in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if folder.name.isdigit():
                words = (folder / "cmdline").read_bytes().split(b"\0")
                if beside.COMPUTE.encode() in words and str(os.getpid()).encode() in words:
                    found.append(int(folder.name))
    return found


def test_processes_compute_beside_the_runs_and_end_with_them(tmp_path, monkeypatch):
    seen = []
    execute = measure.interleave

    def watched(*arguments, **more):
        deadline = time.monotonic() + 30
        while len(busy_children()) < 2 and time.monotonic() < deadline:
            time.sleep(0.01)  # one that has just been started may not have its command line yet
        seen.extend(busy_children())
        return execute(*arguments, **more)

    monkeypatch.setattr(applications, "run_apps", partial(applications.run_apps, execute=watched))
    path = tmp_path / "busy.jsonl"
    assert main(["run", *ARGUMENTS, "--rounds", "1", "--beside", "2", "--output", str(path)]) == 0
    assert len(seen) == 2
    assert busy_children() == []
    assert lines_of(path)[0]["beside"] == 2
    assert main(["run", *ARGUMENTS, "--rounds", "1", "--output", str(path), "--resume"]) == 2


def test_what_was_written_is_read_back(finished):
    results = store.read(finished)
    assert results.finished
    assert [job.threads for job in results.jobs] == [1, 2]
    assert results.jobs[0].case.label == "fib:tied test"
    assert len(results.outcomes) == 8


def test_resumed_run_does_only_what_is_missing(finished):
    kept = finished.read_text().splitlines(keepends=True)[:4]
    finished.write_text("".join(kept) + '{"kind": "run", "thre')  # as a crash leaves it
    assert again(finished, "--resume") == 0
    text = finished.read_text()
    assert text.startswith("".join(kept))
    assert sorted(runs_of(finished)) == [(t, r) for t in (1, 2) for r in (-1, 0, 1, 2)]
    assert [line["kind"] for line in lines_of(finished) if line["kind"] != "run"] == [
        "head",
        "resumed",
        "end",
    ]


def test_killed_run_goes_on(tmp_path, root):
    """kill -9 in the middle: the runs done stay, the program measured does not go on."""
    path = tmp_path / "killed.jsonl"
    arguments = ["run", "fib", "--set", "n=25", "--runtimes", "libgomp", "--threads", "2"]
    arguments += ["--rounds", "12", "--no-plot", "--output", str(path)]
    command = [sys.executable, "-m", "xomp.bench", *arguments]
    env = {**os.environ, "PYTHONPATH": str(root / "python")}
    with started(command, env=env, stderr=subprocess.DEVNULL) as process:
        deadline = time.monotonic() + 60
        while not path.exists() or path.read_text().count("\n") < 4:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        process.kill()
    done = set(runs_of(path))
    assert 0 < len(done) < 13
    assert main([*arguments, "--resume"]) == 0
    assert done < set(runs_of(path))
    assert sorted(runs_of(path)) == [(2, index) for index in range(-1, 12)]


def test_other_plan_is_not_mixed_in(finished, capsys):
    command = ["run", *ARGUMENTS, "--rounds", "4", "--output", str(finished), "--resume"]
    assert main(command) == 2
    assert "holds another plan" in capsys.readouterr().err


def test_other_machine_is_not_mixed_in(finished, capsys):
    head, *rest = lines_of(finished)
    head["kernel"] = "0.0.1"
    finished.write_text("".join(json.dumps(line) + "\n" for line in [head, *rest]))
    assert again(finished, "--resume") == 2
    assert "kernel was '0.0.1'" in capsys.readouterr().err


def test_changed_library_is_not_mixed_in(finished, capsys):
    head, *rest = lines_of(finished)
    head["runtimes"][0]["sha256"] = "0" * 16
    finished.write_text("".join(json.dumps(line) + "\n" for line in [head, *rest]))
    assert again(finished, "--resume") == 2
    assert "library of libgomp has changed" in capsys.readouterr().err


def test_commands_of_the_same_second_write_different_files(tmp_path, monkeypatch):
    monkeypatch.setattr(measure, "RESULTS", tmp_path / "results")
    head = {"time": "2026-01-02T03:04:05Z"}
    names = [measure.new_path(["run"], head).name for _ in range(2)]
    assert names == ["run-20260102T030405Z.jsonl", "run-20260102T030405Z-2.jsonl"]


def test_results_are_not_overwritten(finished, capsys):
    before = finished.read_text()
    assert again(finished) == 2
    assert "exists" in capsys.readouterr().err
    assert finished.read_text() == before


@pytest.mark.parametrize("text", ["", "text\n", '{"kind": "run"}\n', '{"kind": "head"}\n', "[]\n"])
def test_other_files_are_refused(tmp_path, text):
    path = tmp_path / "other"
    path.write_text(text)
    with pytest.raises(BadInputError, match="other"):
        store.read(path)


def test_damaged_results_are_refused_in_one_line(finished, capsys):
    head, *rest = lines_of(finished)
    rest[-2]["records"][0]["seconds"] = "soon"
    finished.write_text("".join(json.dumps(line) + "\n" for line in [head, *rest]))
    assert main(["report", str(finished)]) == 2
    assert "is not a line of results" in capsys.readouterr().err
    del head["cpu"]
    finished.write_text(json.dumps(head) + "\n")
    assert main(["report", str(finished)]) == 2
    assert "'cpu'" in capsys.readouterr().err


def test_report_renders_tables_and_plots_again(finished, capsys):
    pytest.importorskip("matplotlib")
    saved = finished.with_suffix(".md").read_text()
    finished.with_suffix(".md").unlink()
    capsys.readouterr()
    assert main(["report", str(finished)]) == 0
    assert finished.with_suffix(".md").read_text() == saved
    for kind in ("png", "svg"):
        assert finished.with_name(f"whole-threads.{kind}").stat().st_size > 5000


def test_report_puts_what_sums_up_into_another_page(finished, tmp_path, capsys, monkeypatch):
    short_table = Table("In short.", ("a", "b"), [("x", "1")], summary=True)
    long_table = Table("At length.", ("a", "b"), [("y", "2")])
    shown = [short_table, long_table, Table("Every measurement.", ("a",))]
    monkeypatch.setattr(applications, "tables_of", lambda read: shown)
    whole, short = tmp_path / "results/run.md", tmp_path / "page.md"
    whole.parent.mkdir()
    for page in (whole, short):
        page.write_text("above\n<!-- run -->\n<!-- end of run -->\nbelow\n")
    given = ["report", str(finished), "--into", str(whole), "--summary", str(short)]
    assert main(given) == 0
    for table, pages in ((short_table, (whole, short)), (long_table, (whole,))):
        assert [page for page in (whole, short) if table.markdown() in page.read_text()] == [*pages]
    link = "[All tables of this measurement](results/run.md)."
    assert f"|\n\n{link}\n\n<!-- end of run -->\nbelow\n" in short.read_text()
    assert link not in whole.read_text()
    capsys.readouterr()
    assert main(["report", str(finished), "--summary", str(short)]) == 2
    assert "--summary is for --into" in capsys.readouterr().err


def test_report_puts_tables_into_a_page(finished, tmp_path, capsys):
    page = tmp_path / "page.md"
    page.write_text("above\n<!-- run -->\nold\n<!-- end of run -->\nbelow\n")
    assert main(["report", str(finished), "--into", str(page)]) == 0
    other = tmp_path / "other.md"
    other.write_text("<!-- mine -->\n<!-- end of mine -->\n")
    assert main(["report", str(finished), "--into", str(other), "--under", "mine"]) == 0
    assert other.read_text().startswith("<!-- mine -->\n\n`xomp bench run fib")
    text = page.read_text()
    assert text.startswith("above\n<!-- run -->\n\n`xomp bench run fib")
    assert text.endswith("|\n\n<!-- end of run -->\nbelow\n")
    assert "old" not in text
    page.write_text("nothing\n")
    assert main(["report", str(finished), "--into", str(page)]) == 2
    assert "has no place for the tables of run" in capsys.readouterr().err
