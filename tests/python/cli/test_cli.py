# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command line as a whole: every command's help, how mistakes are told, what is imported."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from xomp.cli import run as typed_run
from xomp.cli.commands import root
from xomp.cli.tree import ENOUGH
from xomp.cli.values import runtime_list, words
from xomp.run import OPTIONS, parse
from xomp.shared import apps
from xomp.start import main


def walk(group, path=()):
    """Every command with its path, groups as well."""
    yield path, group
    for name, command in getattr(group, "commands", {}).items():
        found = command.entry.load()
        if hasattr(found, "commands"):
            yield from walk(found, (*path, name))
        else:
            yield (*path, name), found


COMMANDS = dict(walk(root()))
PATHS = pytest.mark.parametrize("path", COMMANDS, ids=lambda path: " ".join(path) or "xomp")


def picky(parameter):
    """Whether an option's value can be wrong before the command looks at it."""
    kind = getattr(parameter, "type", None)
    choices, parser = getattr(kind, "choices", ()), getattr(kind, "func", None)
    if hasattr(parameter, "type_descriptor"):  # typer from 0.29 on
        choices = parameter.type_descriptor.choices
        parser = parameter.type_descriptor.parameter_info.parser
    return bool(choices) or parser not in (None, runtime_list, words)


PICKY = [
    (path, max(parameter.opts, key=len))
    for path, command in COMMANDS.items()
    for parameter in command.params
    if parameter.param_type_name == "option" and picky(parameter)
]


def one_line(text: str, path: tuple) -> str:
    assert text.count("\n") == 1, text
    assert text.startswith(" ".join(["xomp", *path]) + ": "), text
    return text


@PATHS
def test_every_command_has_a_help_of_the_same_look(path, capsys):
    assert main([*path, "--help"]) == 0
    shown = capsys.readouterr().out
    assert f"Usage: {' '.join(['xomp', *path])} " in shown
    assert "─ Options ─" in shown
    assert main([*path, "-h"]) == 0
    assert capsys.readouterr().out == shown


@PATHS
@pytest.mark.parametrize("columns", [40, ENOUGH])
def test_a_help_on_a_narrow_terminal_cuts_no_name(path, columns, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    assert main([*path, "--help"]) == 0
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= columns
    words = set(re.split(r"[\s,/]+", shown))
    named = [opt for parameter in COMMANDS[path].params for opt in parameter.opts if opt[0] == "-"]
    assert words >= {*named, *getattr(COMMANDS[path], "commands", ())}


@PATHS
def test_every_option_and_command_is_explained(path):
    command = COMMANDS[path]
    assert command.help
    assert all(parameter.help for parameter in command.params)


@PATHS
def test_an_unknown_option_gets_one_line(path, capsys):
    assert main([*path, "--frobnicate"]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "no option '--frobnicate'" in one_line(shown.err, path)


@pytest.mark.parametrize(("path", "option"), PICKY, ids=str)
def test_a_bad_value_gets_one_line_that_names_option_and_value(path, option, capsys):
    assert main([*path, option, "?!"]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert f": {option}: " in one_line(shown.err, path)
    assert "'?!'" in shown.err


NUMBER = "expected a number from 1 to 65536"
NUMBERS = "expected numbers from 1 to 65536 between commas"


@pytest.mark.parametrize(
    ("arguments", "path", "words"),
    [
        (["rum", "true"], (), "did you mean 'run'?"),
        (["bench", "microo"], ("bench",), "did you mean 'micro'?"),
        (["bench", "fib", "--round", "3"], ("bench", "fib"), "did you mean --rounds?"),
        (["bench", "run", "fibb"], ("bench", "run"), "no application 'fibb'; did you mean 'fib'?"),
        (
            ["bench", "run", "fib", "--runtimes", "libgompp"],
            ("bench", "run"),
            "no runtime 'libgompp'; did you mean 'libgomp'?",
        ),
        (
            ["bench", "run", "fib", "--size", "tset"],
            ("bench", "run"),
            "no size 'tset'; did you mean 'test'?",
        ),
        (["bench", "run", "fib:tide"], ("bench", "run"), "variant 'tide'; did you mean 'tied'?"),
        (
            ["bench", "run", "fib", "--set", "cutof=1"],
            ("bench", "run"),
            "parameter 'cutof'; did you mean 'cutoff'?",
        ),
        (["bench", "balance", "sparce"], ("bench", "balance"), "did you mean 'sparse'?"),
        (
            ["bench", "balance", "--schedulers", "qwertz"],
            ("bench", "balance"),
            "no scheduler 'qwertz'; there are auto, slb, ",
        ),
        (["repro", "lst"], ("repro",), "no experiment 'lst'; did you mean 'list'?"),
        (["repro", "p1-fgi7"], ("repro",), "did you mean 'p1-fig7'?"),
        (["repro", "qwertz"], ("repro",), "no experiment 'qwertz'; see `xomp repro list`"),
        (["qwertz"], (), "no such command 'qwertz'; see `xomp --help`"),
        (["info", "a", "b"], ("info",), "unexpected extra argument"),
        (["repro"], ("repro",), "NAME is missing"),
        (["bench", "run"], ("bench", "run"), "APP[:VARIANT] is missing"),
        (["bench", "fib", "-n"], ("bench", "fib"), "-n requires an argument"),
        (["bench", "fib", "-n", "1"], ("bench", "fib"), "-n: expected a number from 2, not '1'"),
        (
            ["run", "--schedule", "slb"],
            ("run",),
            "no option '--schedule'; did you mean --scheduler?\n",
        ),
        (["run", "--place", "true"], ("run",), "no option '--place'; see `xomp run --help`\n"),
        (
            ["run", "--scheduler", "na_ws", "no-such"],
            ("run",),
            "no 'na_ws'; did you mean 'na-ws'?\n",
        ),
        (
            ["profile", "--barrier", "cental", "true"],
            ("profile",),
            "--barrier: there is no 'cental'; did you mean 'central'?\n",
        ),
        (
            ["profile", "--runtime", "foo", "true"],
            ("profile",),
            "neither a library nor one of libgomp, libomp, libiomp5, xomp\n",
        ),
        (["run", "--scheduler", "foo", "true"], ("run",), "'foo' is not one of 'auto', 'slb', "),
        *(
            ([*words, "--threads", number, *more], path, f"--threads: {told}, not '{number}'")
            for words, more, path, told in (
                (["run"], ["no-such-program"], ("run",), NUMBER),
                (["profile"], ["no-such-program"], ("profile",), NUMBER),
                (["bench", "run", "fib"], [], ("bench", "run"), NUMBERS),
                (["repro", "p1-fig7"], [], ("repro",), NUMBERS),
            )
            for number in ("x", "0", "65537", "100000000000")
        ),
        (["run", "--stats=1", "true"], ("run",), "--stats does not take a value"),
        (["conformance", "--reference-only", "--no-reference"], ("conformance",), "exclude"),
    ],
)
def test_mistakes_are_told_with_the_nearest_name(arguments, path, words, capsys):
    assert main(arguments) == 2
    assert words in one_line(capsys.readouterr().err, path)


def test_what_holds_without_the_options_of_run_stands_in_the_help(capsys):
    assert main(["run", "-h"]) == 0
    valued = [option for option in OPTIONS if not option.is_flag]
    assert capsys.readouterr().out.count("[default: ") == len(valued) >= 4


@pytest.mark.parametrize("path", [(), ("bench",)])
def test_a_group_alone_shows_its_help(path, capsys):
    assert main(list(path)) == 2
    shown = capsys.readouterr()
    assert "Usage:" in shown.out and shown.err == ""


def test_a_folder_that_cannot_be_written_is_one_line(capsys, monkeypatch):
    monkeypatch.setattr(apps, "BENCH", Path("/proc/no-such-folder"))
    assert main(["bench", "fib", "--runtimes", "floor"]) == 1
    assert "/proc/no-such-folder" in one_line(capsys.readouterr().err, ("bench", "fib"))


def test_setup_looks_even_where_nothing_can_be_built(capsys, monkeypatch):
    monkeypatch.setattr(apps, "BENCH", Path("/proc/no-such-folder"))
    assert main(["bench", "setup", "--look"]) == 0
    shown = capsys.readouterr()
    assert "missing" in shown.out and shown.err == ""


def test_conformance_names_a_folder_that_cannot_be_written(capsys, tmp_path):
    archive = tmp_path / "archive"
    archive.touch()
    arguments = ["conformance", "--archive", str(archive), "--work", "/proc/no-such-folder"]
    assert main(arguments) == 1
    assert "/proc/no-such-folder" in one_line(capsys.readouterr().err, ("conformance",))


LOAD = """
import sys
sys.path.insert(0, sys.argv.pop(1))
from xomp.start import main
main()
print(*sys.modules, file=sys.stderr)
"""


def loaded_by(root: Path, *arguments: str) -> set[str]:
    """The modules of xomp that a command line imports."""
    command = [sys.executable, "-I", "-c", LOAD, str(root / "python"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return {name for name in done.stderr.split() if name.startswith("xomp.")}


def test_a_list_of_commands_imports_none_of_them(root):
    loaded = loaded_by(root, "--help")
    assert "xomp.cli.commands" in loaded
    assert not {name.split(".")[1] for name in loaded} - {"cli", "errors", "start"}
    of_bench = {name for name in loaded_by(root, "bench", "--help") if "xomp.bench." in name}
    assert of_bench == {"xomp.bench.cli"}


def test_a_command_imports_no_other(root):
    loaded = loaded_by(root, "bench", "micro", "--help")
    assert "xomp.bench.micro" in loaded
    assert not loaded & {"xomp.bench.fib", "xomp.bench.balance", "xomp.repro.cli", "xomp.info"}


@pytest.mark.parametrize(
    ("arguments", "status", "told"),
    [
        (["info"], 1, "xomp: the Python package 'typer' is missing"),
        (["run", "--frobnicate"], 2, "xomp run: to show the help, or what is wrong, it needs"),
        (["--version"], 0, ""),
    ],
)
def test_without_its_packages_it_says_so(root, arguments, status, told):
    start = "import sys; sys.modules['typer'] = None; sys.path.insert(0, sys.argv.pop(1))"
    start += "; from xomp.start import main; sys.exit(main())"
    command = [sys.executable, "-I", "-c", start, str(root / "python"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == status
    assert done.stderr.startswith(told) and done.stderr.count("\n") == bool(told)


RIGHT = [
    ["true"],
    ["--", "true", "--stats"],
    ["-", "x"],
    ["--scheduler", "slb", "--barrier=tree", "--stats", "--display", "--", "sh", "-c", "--", "a"],
    ["--lib", "--", "true"],
    ["--lib=", "true"],
    ["--lib", "a=b", "--lib=c=d", "--no-preload", "true", "--lib", "x"],
]
WRONG = [
    [],
    ["--"],
    ["--stats"],
    ["--stats=1", "true"],
    ["--scheduler", "fastest", "true"],
    ["--barrier=", "true"],
    ["--lib"],
    ["--no-such", "true"],
    ["-x", "true"],
    ["--stat", "true"],
]


@pytest.mark.parametrize("arguments", RIGHT, ids=" ".join)
def test_run_means_the_same_parsed_by_hand_and_by_typer(arguments, monkeypatch):
    asked = []
    monkeypatch.setattr(typed_run, "start", lambda *words: asked.append(words))
    monkeypatch.setattr("xomp.run.parse", lambda words: None)
    assert main(["run", *arguments]) == 0
    assert asked == [parse(arguments)]


@pytest.mark.parametrize("arguments", [*WRONG, ["--help"], ["-h"]], ids=" ".join)
def test_what_is_not_plainly_right_is_left_to_typer(arguments):
    assert parse(arguments) is None


@pytest.mark.parametrize("arguments", WRONG, ids=" ".join)
def test_what_is_wrong_by_hand_is_wrong_for_typer(arguments, capsys):
    assert main(["run", *arguments]) == 2
    one_line(capsys.readouterr().err, ("run",))


def test_run_has_the_options_of_its_definition_and_no_other():
    known = [parameter for parameter in COMMANDS["run",].params if parameter.name != "command"]
    assert [parameter.opts for parameter in known] == [[option.name] for option in OPTIONS]
    assert [parameter.help for parameter in known] == [option.help for option in OPTIONS]


@pytest.mark.parametrize(
    ("shell", "words"), [("bash", "complete "), ("zsh", "#compdef xomp"), ("fish", "complete ")]
)
def test_completion_can_be_generated(xomp, shell, words):
    done = xomp(_XOMP_COMPLETE=f"source_{shell}")
    assert done.returncode == 0
    assert words in done.stdout and "_XOMP_COMPLETE" in done.stdout


@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("xomp be", "bench"),
        ("xomp bench upd", ""),
        ("xomp bench ico", "icount"),
        ("xomp run --sched", "--scheduler"),
        ("xomp run --barrier ", "tree\ncentral"),
        ("xomp bench fib --resu", "--resume"),
    ],
)
def test_completion_completes(xomp, typed, completed):
    count = len(typed.split(" ")) - 1
    done = xomp(_XOMP_COMPLETE="complete_bash", COMP_WORDS=typed, COMP_CWORD=count)
    assert done.stdout.strip() == completed


def interrupted(*words):
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("where", "told"),
    [
        ("xomp.cli.main.root", "xomp: interrupted"),
        ("xomp.cli.tree.TyperGroup.parse_args", "xomp: interrupted"),
        ("xomp.cli.tree.Entry.load", "xomp bench: interrupted"),
        ("xomp.cli.tree.flat", "xomp bench list: interrupted"),
        ("xomp.bench.listing.overview", "xomp bench list: interrupted"),
    ],
)
def test_ctrl_c_is_one_line_wherever_it_hits(where, told, monkeypatch, capsys):
    monkeypatch.setattr(where, interrupted)
    assert main(["bench", "list"]) == 130
    assert capsys.readouterr().err == f"{told}\n"


def with_reader_gone(root, *arguments):
    """The command with a standard output that nobody reads."""
    read, write = os.pipe()
    os.close(read)
    command = [str(root / "xomp"), *arguments]
    # Without the tests' own variables, of which the library would say that it knows none such.
    environment = {k: v for k, v in os.environ.items() if not k.startswith("XOMP_")}
    done = subprocess.run(
        command, stdout=write, stderr=subprocess.PIPE, text=True, timeout=300, env=environment
    )
    os.close(write)
    return done


@pytest.mark.parametrize(
    "arguments",
    [["--version"], ["--help"], ["bench", "fib", "--help"], ["info"], ["repro", "list"]],
)
def test_a_reader_that_is_gone_ends_the_command_silently(root, arguments):
    done = with_reader_gone(root, *arguments)
    assert (done.returncode, done.stderr) == (141, "")


def test_a_program_run_on_xomp_is_ended_by_a_reader_that_is_gone(root, library):
    done = with_reader_gone(root, "run", "--lib", library, "yes")
    assert (done.returncode, done.stderr) == (-13, "")


def test_a_full_disk_is_named(root):
    with Path("/dev/full").open("w") as full:
        command = [str(root / "xomp"), "--version"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1
    assert done.stderr == "xomp: cannot write the output: No space left on device\n"
