# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`xomp bench sweep`: Parsl gives the results file of a local run."""

import json

import pytest

from bench_shared import main
from xomp.bench import sweep
from xomp.bench.rounds import interleave

PLAN = ["sweep", "fib", "uts", "--size", "test", "--runtimes", "libgomp,libgomp@GOMP_SPINCOUNT=0"]
PLAN += ["--threads", "1,2", "--rounds", "2", "--no-plot"]

CONFIGURATION = """
from parsl.config import Config
from parsl.executors import ThreadPoolExecutor
config = Config(executors=[ThreadPoolExecutor(max_threads=1)], run_dir={folder!r})
"""


def runs_of(path):
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    fields = ("app", "variant", "runtime", "threads", "round", "failure", "arguments")
    assert lines[-1]["kind"] == "end"
    return sorted(str([line[field] for field in fields]) for line in lines[1:-1])


@pytest.fixture(scope="module")
def local(tmp_path_factory):
    path = tmp_path_factory.mktemp("local") / "local.jsonl"
    assert main([*PLAN, "--output", str(path)]) == 0
    return runs_of(path)


@pytest.fixture
def configuration(tmp_path):
    pytest.importorskip("parsl")
    path = tmp_path / "configuration.py"
    path.write_text(CONFIGURATION.format(folder=str(tmp_path / "runs")))
    return path


@pytest.mark.parametrize("executor", ["local-threads", "local-htex", "file"])
def test_parsl_gives_the_results_of_a_local_run(executor, local, configuration, tmp_path):
    name = configuration if executor == "file" else executor
    path = tmp_path / "swept.jsonl"
    assert main([*PLAN, "--executor", f"parsl:{name}", "--output", str(path)]) == 0
    assert runs_of(path) == local


def test_interrupted_sweep_goes_on(local, configuration, tmp_path):
    path = tmp_path / "swept.jsonl"
    command = [*PLAN, "--executor", f"parsl:{configuration}", "--output", str(path)]
    assert main(command) == 0
    kept = path.read_text().splitlines(keepends=True)[:6]
    path.write_text("".join(kept))
    assert main([*command, "--resume"]) == 0
    assert path.read_text().startswith("".join(kept))
    lines = [line for line in path.read_text().splitlines() if '"resumed"' not in line]
    path.write_text("".join(f"{line}\n" for line in lines))
    assert runs_of(path) == local


def test_bad_input_of_a_program_ends_the_sweep(configuration, tmp_path, capsys):
    executor = ["--executor", f"parsl:{configuration}", "--output", str(tmp_path / "x.jsonl")]
    assert main([*PLAN[:2], "--set", "n=1000", "--size", "test", *executor]) == 2
    assert "--n must be an integer" in capsys.readouterr().err


def test_configuration_without_config_is_refused(configuration, capsys):
    configuration.write_text("settings = 1\n")
    assert main([*PLAN, "--executor", f"parsl:{configuration}"]) == 2
    assert "defines no `config`" in capsys.readouterr().err


def test_local_is_the_default():
    assert sweep.executor("local", interleave) is interleave
