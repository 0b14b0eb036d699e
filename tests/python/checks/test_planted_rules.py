# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of planted violations expect stands in the runtime. They themselves run only in
builds with assertions, so a rule that was rewritten would be noticed there alone."""

import re

from conftest import ROOT

LITERAL = r'"(?:[^"\\]|\\.)*"'
RULE = re.compile(rf'broken\(\s*"([^"]+)",\s*((?:{LITERAL}\s*)+)\)')
PATTERN = re.compile(r'"([a-z_]+/[a-z_]+\.(?:cc|h)):\[0-9\][+]: \.\*(.*?)(?:\.\*)?in (\w+)"')


def assertions(file: str) -> list[str]:
    text = re.sub(r"\s+", "", (ROOT / "runtime" / file).read_text())
    return re.findall(r"XOMP_ASSERT\((.*?)\);", text)


def test_each_rule_stands_in_its_file():
    rules = []
    for test in sorted((ROOT / "tests/unit").glob("*_test.cc")):
        text = test.read_text()
        for file, literals in RULE.findall(text):
            rules.append((file, "".join(part[1:-1] for part in re.findall(LITERAL, literals))))
        for file, pattern, function in PATTERN.findall(text):
            assert re.search(rf"\b{function}\(", (ROOT / "runtime" / file).read_text()), function
            found = re.compile(pattern.removesuffix(".*").replace(" ", ""))
            assert any(found.search(each) for each in assertions(file)), (file, pattern)
    assert len(rules) > 10
    for file, rule in rules:
        assert re.sub(r"\s+", "", rule) in assertions(file), (file, rule)
