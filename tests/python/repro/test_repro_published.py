# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The transcribed values: well-formed, with their source, and consistent among themselves."""

import json
import re

import pytest

from xomp.repro import published
from xomp.repro.registry import all_experiments

FILES = sorted(published.FOLDER.glob("*.json"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_is_well_formed_and_cited(file):
    read = published.parse(file)
    assert re.search(r"section|abstract", read.source, re.IGNORECASE), "where it stands"
    assert read.title
    if read.numbers != "table":
        assert "without numbers" in read.numbers, "says why there is no table"
        assert "where" in read.columns or not read.rows or "design" in read.columns


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_value_of_the_text_has_its_place(file):
    read = published.parse(file)
    if "where" in read.columns:
        for where in read.column("where"):
            assert re.search(r"section|abstract|Fig|Table|footnote", where, re.IGNORECASE), where


def test_each_belongs_to_an_experiment():
    known = {(each.paper, each.item) for each in all_experiments()}
    for file in FILES:
        read = published.parse(file)
        assert (read.paper, read.item) in known


def test_a_row_of_the_wrong_length_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(published, "FOLDER", tmp_path)
    data = {
        "paper": 1,
        "item": "fig1",
        "title": "t",
        "source": "section I",
        "numbers": "table",
        "columns": ["a", "b"],
        "rows": [[1]],
    }
    file = tmp_path / "paper1-fig1.json"
    file.write_text(json.dumps(data))
    with pytest.raises(published.PublishedError, match="has not 2 values"):
        published.parse(file)


def test_unreadable_json_is_refused(tmp_path):
    file = tmp_path / "paper1-fig1.json"
    file.write_text("{")
    with pytest.raises(published.PublishedError, match=r"paper1-fig1\.json"):
        published.parse(file)


def number(text):
    value, _, unit = str(text).partition(" ")
    return float(value) * {"": 1, "K": 1e3, "M": 1e6, "B": 1e9}[unit]


# A check of the transcription: the tables agree with themselves within what they were rounded to.
@pytest.mark.parametrize("item", ["table2", "table3"])
def test_paper_1_tasks_run_by_self_and_others_are_those_pushed_and_run_at_once(item):
    read = published.load(1, item)
    redirected = "Total steal" in [row[0] for row in read.rows]
    for column in read.columns[1:]:
        ran = sum(number(read.value(f"{who} tasks", column)) for who in ("Self", "Local", "Remote"))
        made = sum(number(read.value(how, column)) for how in ("Static push", "Imm. exec"))
        # What is redirected by NA-RP was not pushed statically; NA-WS steals what was.
        if redirected and column.endswith("RP"):
            made += number(read.value("Total steal", column))
        assert ran == pytest.approx(made, rel=0.05), column


@pytest.mark.parametrize("item", ["table1", "table2"])
def test_paper_2_tasks_of_g_hashes_are_g_times_one_hash(item):
    read = published.load(2, item)
    for row in read.rows:
        values = dict(zip(read.columns, row, strict=True))
        for name, value in values.items():
            if name.endswith(" ops."):
                hashes = int(name.split()[0])
                assert value == pytest.approx(hashes * values["per op."], rel=0.03), row[0]
