# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The parser of DejaGnu directives: words, selectors, and what a source asks for."""

import pytest

from xomp.conformance import directives, selectors, tcl

HELD = {"c", "lp64", "avx_runtime", "x86_64-*-*", "*-*-linux*", "*-*-*"}


def holds(name):
    return name in HELD


def read(*lines):
    return directives.read("\n".join(lines), holds)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("run", ["run"]),
        ('"-O2 -g" { target c }', ["-O2 -g", " target c "]),
        (r'"a\nb\[c\\(" x', ["a\nb[c\\(", "x"]),
        (r"{a {b c} \}} d", [r"a {b c} \}", "d"]),
        ("", []),
    ],
)
def test_words_follow_tcl_quoting(text, words):
    assert tcl.split_words(text) == words


@pytest.mark.parametrize("text", ["{ a", '"a', "{ a { b }"])
def test_open_brace_or_quote_is_an_error(text):
    with pytest.raises(tcl.TclError):
        tcl.split_words(text)


@pytest.mark.parametrize(
    ("selector", "value"),
    [
        ("target c", True),
        ("target c++", False),
        (" *-*-* ", True),
        ("target { offload_target_nvptx }", False),
        ("target { i?86-*-* x86_64-*-* }", True),
        ("target { { i?86-*-* x86_64-*-* } && lp64 }", True),
        ("target { { i?86-*-* x86_64-*-* } && ia32 }", False),
        ("target { lp64 && { ! lp64 } }", False),
        ("! run_expensive_tests", True),
        ("target { a || b }", False),
        ("target { a || lp64 }", True),
        ("target *-*-linux* *-*-gnu* *-*-freebsd*", True),
    ],
)
def test_selectors(selector, value):
    assert selectors.applies(selector, holds) is value


def test_leaves_names_everything_a_selector_mentions():
    assert selectors.leaves("target { a && { ! b } }") == ["a", "b"]


def test_a_source_without_directives_is_run_with_default_options():
    request = read("int main () { return 0; }")
    assert (request.kind, request.selected, request.options) == ("run", True, None)


def test_dg_do_in_every_comment_style():
    for line in ("/* { dg-do compile } */", "// { dg-do compile }", "! { dg-do  compile }"):
        assert read(line).kind == "compile"
    assert read('/* { dg-do "compile" } */').kind == "compile"


def test_text_without_blank_after_the_brace_is_no_directive():
    assert directives.find("{dg-do compile}") == []


def test_dg_do_for_another_target_names_what_is_missing():
    request = read("/* { dg-do run { target { offload_target_nvptx } } } */")
    assert not request.selected
    assert request.missing == ["offload_target_nvptx"]


def test_a_later_matching_dg_do_wins_over_one_that_does_not_match():
    request = read("{ dg-do compile { target ia32 } }", "{ dg-do run { target lp64 } }")
    assert (request.kind, request.selected, request.missing) == ("run", True, [])


def test_a_later_dg_do_that_does_not_match_leaves_the_earlier_one():
    request = read("{ dg-do link }", "{ dg-do run { target ia32 } }")
    assert (request.kind, request.selected) == ("link", True)


def test_options_replace_and_additional_options_add():
    request = read(
        '/* { dg-options "-O0 -w" } */',
        '/* { dg-options "-O3" { target c++ } } */',
        '/* { dg-additional-options "-mavx" { target avx_runtime } } */',
        '/* { dg-additional-options "-std=gnu99" {target c++ } } */',
    )
    assert request.options == ["-O0", "-w"]
    assert request.additional_options == ["-mavx"]


def test_environment_and_sources():
    request = read(
        '{ dg-set-target-env-var OMP_PLACES "{6,7}:4:-2,!{2,3}" } ',
        '! { dg-set-target-env-var OMP_CANCELLATION "true" }',
        '/* { dg-additional-sources "a.c b.c" } */',
        "! { dg-additional-sources ../on_device_arch.c }",
    )
    assert request.environment == {"OMP_CANCELLATION": "true", "OMP_PLACES": "{6,7}:4:-2,!{2,3}"}
    assert request.additional_sources == ["a.c", "b.c", "../on_device_arch.c"]


def test_required_targets_that_do_not_hold_are_missing():
    request = read(
        "! { dg-require-effective-target lp64 }",
        "! { dg-require-effective-target offload_device }",
    )
    assert request.missing == ["offload_device"]


def test_output_texts_are_joined_and_unescaped():
    request = read(
        r'/* { dg-output "The \\\[x\\\] (\n|\r)" } */',
        r'/* { dg-output "end" } */',
    )
    assert request.output == "The \\[x\\] (\n|\r)end"


def test_should_fail_expected_failure_and_time():
    request = read(
        '! { dg-shouldfail "" }',
        '! { dg-xfail-run-if "unsupported" { offload_device_any_intel_mic } }',
        "! { dg-timeout 10 }",
        "! { dg-timeout-factor 2.0 }",
    )
    assert (request.should_fail, request.expected_failure) == (True, False)
    assert (request.timeout, request.timeout_factor) == (10, 2)


def test_skip_if_looks_at_the_flags():
    request = read('! { dg-skip-if "slow" { ! run_expensive_tests } { "*" } { "-O0" "-O2" } }')
    assert request.skip_reason(["-fopenmp", "-O3"]) == "slow"
    assert request.skip_reason(["-fopenmp", "-O2"]) is None


def test_skip_if_without_options_always_skips():
    assert read('/* { dg-skip-if "" { *-*-* } } */').skip_reason([]) is not None
    assert read('! { dg-skip-if "x" {aarch64_tiny} }').skip_reason([]) is None
