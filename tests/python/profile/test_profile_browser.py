# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The HTML report in a real browser."""

import json
import re
import zlib

import numpy as np
import pytest

import perflog_scenarios as scenarios
import perflog_synthetic as synthetic
from browser import CHROMIUM, Browser
from perflog_writer import LogWriter
from xomp.profile.analysing.load import load
from xomp.profile.reading.format import Kind
from xomp.profile.reading.symbols import Place, Symbols
from xomp.profile.showing import compare
from xomp.profile.showing.html import write_comparison, write_html, write_processes
from xomp.profile.showing.html.build import script
from xomp.profile.showing.numbers import times

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium")

# The three places with tasks have the first three colours; green is the colour of work, too.
BLUE, ORANGE, GREEN = "0,114,178,255", "230,159,0,255", "0,158,115,255"

# How many pixels of a timeline have which colour.
PIXELS_OF = """
(() => {
  const canvas = $("%s");
  const copy = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  [copy.canvas.width, copy.canvas.height] = [canvas.width, canvas.height];
  copy.drawImage(canvas, 0, 0);
  const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
  const colours = {};
  for (let at = 0; at < data.length; at += 4) {
    const colour = data.slice(at, at + 4).join();
    colours[colour] = (colours[colour] ?? 0) + 1;
  }
  return colours;
})()
"""
PIXELS = PIXELS_OF % "#timeline-canvas"
SECOND_PIXELS = PIXELS_OF % "#timeline-canvas-1"


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with Browser(tmp_path_factory.mktemp("browser")) as browser:
        yield browser


@pytest.fixture(scope="module")
def profile(tmp_path_factory):
    where = tmp_path_factory.mktemp("log")
    synthetic.program(4, 2000).write(where)
    return load(where)[0]


@pytest.fixture(scope="module")
def path(profile, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "report.html"
    write_html(profile, path)
    return path


@pytest.fixture
def page(browser, path):
    """The report; whatever a test does with it, nothing may go wrong in the browser."""
    browser.open(path)
    yield browser
    assert browser.errors == []
    assert browser.requests in ([], [path.as_uri()])


def on_timeline(page: Browser, across: float, down: float) -> tuple[float, float]:
    """A point of the timeline, by shares of its width and height, scrolled into sight."""
    return tuple(
        page.run(f"""(() => {{
          $("#timeline-canvas").scrollIntoView({{ block: "center" }});
          const box = $("#timeline-canvas").getBoundingClientRect();
          return [box.left + 64 + {across} * (box.width - 64), box.top + {down} * box.height];
        }})()""")
    )


def test_the_timeline_shows_what_the_threads_do(page):
    by_place = page.run(PIXELS)
    page.run('press("State", $("#timeline"))')
    page.run("FRAME()")
    by_state = page.run(PIXELS)
    enough = sum(by_place.values()) / 100
    assert min(by_place.get(colour, 0) for colour in (BLUE, ORANGE, GREEN)) > enough
    assert by_state[GREEN] > by_place[GREEN] + 10 * enough
    assert by_state.get(BLUE, 0) < by_place[BLUE]


def test_every_way_to_colour_is_another_picture(page):
    pictures = []
    for mode in ("Place", "Origin", "Data", "State", "Size"):
        page.run(f'press("{mode}", $("#timeline"))')
        page.run("FRAME()")
        pictures.append(page.run(PIXELS))
    assert all(a != b for at, a in enumerate(pictures) for b in pictures[:at])


def test_tall_rows_are_drawn_where_they_are_scrolled_to(page, path):
    page.call(
        "Emulation.setDeviceMetricsOverride",
        width=1400,
        height=120,
        deviceScaleFactor=1,
        mobile=False,
    )
    page.run("FRAME()")
    page.run('press("Tall rows", $("#timeline"))')
    page.run("FRAME()")
    above = page.run(PIXELS)
    page.run('$(".scroller").scrollTop = 1000')
    page.run("FRAME()")
    page.run("FRAME()")
    below = page.run(PIXELS)
    assert above != below
    assert min(above[BLUE], below[BLUE]) > 1000


def test_data_are_opened_without_the_browsers_help_as_with_it(page, path):
    assert page.run("typeof DecompressionStream") == "function"
    native = page.run(PIXELS)
    page.open(path, before="delete window.DecompressionStream; delete Uint8Array.fromBase64;")
    assert page.run("typeof DecompressionStream") == "undefined"
    assert page.run(PIXELS) == native


def deflated(data: bytes, level: int, strategy: int = zlib.Z_DEFAULT_STRATEGY) -> bytes:
    packer = zlib.compressobj(level, zlib.DEFLATED, zlib.MAX_WBITS, 9, strategy)
    return packer.compress(data) + packer.flush()


def test_whatever_was_deflated_is_inflated(browser):
    random = np.random.default_rng(1)
    noise = random.integers(0, 256, 40_000, dtype=np.uint8).tobytes()
    # Repetitions of all lengths from all distances; codes of all lengths, with gaps between them.
    far = bytearray(noise[:33_000])
    for distance in np.unique(np.geomspace(1, 32_500, 300).astype(int)):
        length = int(random.integers(3, 259))
        far += bytes(far[-distance:][:length]) + noise[distance : distance + 2]
    skewed = np.minimum(random.geometric(0.02, 60_000) * 3, 255).astype(np.uint8).tobytes()
    few = random.choice([0, 7, 250], 5000, p=[0.98, 0.01, 0.01]).astype(np.uint8).tobytes()
    samples = [deflated(data, 9) for data in (bytes(far), skewed, few, bytes(70_000), b"", b"a")]
    samples += [deflated(noise, 0), deflated(skewed, 6, zlib.Z_FIXED)]
    # Each flush makes an empty block that begins with a whole byte.
    packer = zlib.compressobj(9)
    parts = [skewed[at : at + 997] for at in range(0, 20_000, 997)]
    flushed = [packer.compress(part) + packer.flush(zlib.Z_SYNC_FLUSH) for part in parts]
    samples.append(b"".join(flushed) + packer.flush())
    code = f"""(() => {{
      {script("inflate")}
      return {json.dumps([[list(each), len(zlib.decompress(each))] for each in samples])}
        .map(([data, size]) => [...module_inflate.inflate(Uint8Array.from(data), size)]);
    }})()"""
    for sample, found in zip(samples, browser.run(code), strict=True):
        assert bytes(found) == zlib.decompress(sample)


def test_keys_and_the_wheel_zoom_and_pan(page):
    def shown() -> list[str]:
        return page.run("""[$("#timeline .range").innerText, $("canvas.axis").toDataURL()]""")

    point = on_timeline(page, 0.5, 0.5)
    page.run('$("#timeline-canvas").focus({ preventScroll: true })')
    whole, picture = shown()
    page.key("+")
    once, _ = shown()
    page.key("+")
    twice, axis = shown()
    assert len({whole, once, twice}) == 3
    page.key("ArrowRight")
    moved, moved_axis = shown()
    assert moved == twice
    assert moved_axis != axis
    page.key("0")
    assert shown() == [whole, picture]
    page.mouse("Wheel", *point, deltaX=0, deltaY=-120)
    assert shown()[0] not in (whole, once, twice)


def test_dragging_pans_and_with_shift_zooms(page):
    shown = """[$("#timeline .range").innerText, $("canvas.axis").toDataURL()]"""
    left, right = on_timeline(page, 0.4, 0.5), on_timeline(page, 0.6, 0.5)
    page.run('press("+", $("#timeline"))')
    page.run("FRAME()")
    length, axis = page.run(shown)
    for modifiers in (0, 8):
        page.mouse("Moved", *left, modifiers=modifiers)
        page.mouse("Pressed", *left, clickCount=1, modifiers=modifiers)
        page.mouse("Moved", *right, button="left", modifiers=modifiers)
        page.mouse("Released", *right, clickCount=1, modifiers=modifiers)
        now, now_axis = page.run(shown)
        assert now_axis != axis
        assert (now == length) is (modifiers == 0)
        axis = now_axis


def test_pointing_at_a_span_says_what_it_is(page, profile):
    leaf = profile.symbols.place(synthetic.LEAF).source
    point = on_timeline(page, 0.4, 0.9)
    page.run('$("#timeline-canvas").focus({ preventScroll: true })')
    found = []
    for step in range(0, 60, 3):
        page.mouse("Moved", point[0] + step, point[1])
        found.append(page.run('$(".tip").hidden ? "" : $(".tip").innerText'))
    task = re.compile(rf"^task \d+·[\d,]+ {re.escape(leaf)}$", re.MULTILINE)
    tasks = [text for text in found if task.search(text)]
    assert tasks, found
    for text in tasks:
        assert re.search(r"Took\s+[\d.]+ [nµm]s", text)
        assert re.search(r"On\s+thread 3, domain 1", text)
        assert re.search(r"Parent\s+task \d+·", text)
        assert re.search(r"Origin\s+self", text)


def test_a_span_that_is_clicked_stays_and_leads_on(page):
    detail = '$("#timeline-detail").innerText'
    page.click(*on_timeline(page, 0.4, 0.9))
    first = page.run(detail)
    assert re.search(r"Took\s+[\d.]+ [nµm]s", first)
    page.key("n")
    second = page.run(detail)
    assert second != first
    page.key("p")
    assert page.run(detail) == first
    page.key("Enter")
    page.key("Escape")
    assert page.run(detail) not in (first, second)


def test_a_place_that_is_chosen_stands_out(page):
    before = page.run(PIXELS)
    page.run('$("#places .place").click()')
    page.run("FRAME()")
    chosen = page.run(PIXELS)
    assert chosen[BLUE] == before[BLUE]
    assert ORANGE not in chosen
    assert page.run('$$(".place[aria-pressed=true]").length') >= 2
    page.run('$("#places .place").click()')
    page.run("FRAME()")
    assert page.run(PIXELS) == before


def test_tables_sort_and_filter(page, profile):
    def column(at: int) -> list[str]:
        return page.run(f'$$("#places tbody tr td:nth-child({at})").map((each) => each.innerText)')

    def sort(at: int) -> str:
        head = f'$("#places th:nth-child({at})")'
        page.run(f'{head}.querySelector("button").click()')
        return page.run(f'{head}.getAttribute("aria-sort")')

    def times() -> list[int]:
        return [int(each.replace(",", "") or 0) for each in column(3)]

    assert sort(3) == "descending"
    assert times() == sorted(times(), reverse=True)
    assert times()[0] == max(tasks.recorded for tasks in profile.places)
    assert sort(3) == "ascending"
    assert times() == sorted(times())
    assert sort(2) == "ascending"
    assert column(2) == sorted(column(2))
    page.run("""(() => {
      $("#places input").value = "taskwait";
      $("#places input").dispatchEvent(new Event("input"));
    })()""")
    assert column(2) == ["taskwait"]


def test_light_and_dark_follow_the_system_and_the_switch(page, path):
    shown = "[document.documentElement.dataset.theme, getComputedStyle(document.body).color]"
    name, ink = page.run(shown)
    assert name == "light"
    page.run('$("#theme").click()')
    assert page.run(shown)[0] == "dark"
    page.run('$("#theme").click()')
    assert page.run(shown) == [name, ink]
    page.run("localStorage.clear()")
    page.open(path, dark=True)
    assert page.run(shown)[0] == "dark"


NESTED_PIXELS = PIXELS_OF % "#nested-canvas"


def test_the_spans_of_a_thread_are_shown_in_each_other(page, profile):
    """A row for each depth; a box lies below the one that it is in, at the same time."""
    spans = profile.spans
    first = spans.first[0], spans.first[1]
    depth = np.zeros(len(spans), dtype=int)
    for span in range(len(spans)):
        if spans.parent[span] >= 0:
            depth[span] = depth[spans.parent[span]] + 1
    deepest = int(depth[first[0] : first[1]].max())
    assert page.run('$("#nested-canvas").clientHeight') == 17 * (deepest + 1)
    assert page.run(NESTED_PIXELS).get(BLUE, 0) > 0
    # Points at the longest task of the first thread, in the row of its depth.
    tasks = spans.indices(Kind.TASK)
    tasks = tasks[tasks < first[1]]
    span = tasks[spans.duration[tasks].argmax()]
    middle = (spans.column("begin")[span] + spans.column("end")[span]) // 2
    around = [span, *(each for each in [int(spans.parent[span])] if each >= 0)]
    share = float(profile.log.nanoseconds(middle)) / (profile.losses.elapsed * 1e9)
    for each in around:
        x, y = page.run(f"""(() => {{
          $("#nested-canvas").scrollIntoView({{ block: "center" }});
          const box = $("#nested-canvas").getBoundingClientRect();
          const x = box.left + 64 + {share} * (box.width - 64);
          return [x, box.top + {17 * int(depth[each]) + 8}];
        }})()""")
        page.mouse("Moved", x, y)
        words = page.run('$(".tip").innerText')
        kind = {Kind.TASK: "task", Kind.IMPLICIT: "region"}.get(int(spans.kind[each]))
        assert words.startswith(kind or Kind(int(spans.kind[each])).name.lower())
    # What is chosen there is chosen in the timeline, and another thread can be looked at.
    page.click(x, y)
    assert "Point at a span" not in page.run('$("#timeline-detail").innerText')
    before = page.run(NESTED_PIXELS)
    page.run("""(() => {
      const choice = $(".nested-head select");
      choice.value = "1";
      choice.dispatchEvent(new Event("change"));
    })()""")
    page.run("FRAME()")
    assert page.run(NESTED_PIXELS) != before


def test_the_nested_view_shows_the_time_that_the_timeline_shows(page):
    whole = page.run(NESTED_PIXELS)
    page.run('press("+", $("#timeline"))')
    page.run("FRAME()")
    assert page.run(NESTED_PIXELS) != whole
    page.run('press("All", $("#timeline"))')
    page.run("FRAME()")
    assert page.run(NESTED_PIXELS) == whole


def test_cards_with_nothing_in_them_do_not_appear(browser, tmp_path):
    scenarios.imbalance().write(tmp_path)
    write_html(load(tmp_path)[0], tmp_path / "report.html")
    browser.open(tmp_path / "report.html")
    shown = browser.run('$$("section").filter((each) => !each.hidden).map((each) => each.id)')
    assert shown == ["summary", "part-places", "part-timeline", "part-workers"]
    ways = browser.run('$$("nav a").filter((each) => !each.hidden).map((each) => each.innerText)')
    assert ways == ["Places", "Timeline", "Threads"]
    assert browser.run('$("#places tbody td:nth-child(2)").innerText') == "loop"
    assert browser.errors == []


def test_what_threads_were_kept_off_is_drawn_in_its_colour(browser, tmp_path):
    writer = LogWriter(threads=1)
    writer.add(0, Kind.THREAD, 0, 1000, flags=1)
    writer.add(0, Kind.REGION, 10, 990, other=1, place=0x401000, worker=1)
    writer.add(0, Kind.IMPLICIT, 11, 989, task=5, other=1, place=0x401000)
    for at, ran, ready in ((0, 0, 0), (1000, 500_000, 500_000)):
        fields = {"flags": int(at == 0), "task": ran, "other": ready}
        writer.add(0, Kind.PROCESSOR, at, at, **fields)
    writer.close(1000)
    writer.write(tmp_path)
    profile = load(tmp_path)[0]
    assert profile.losses.kept_off == pytest.approx(0.5 * profile.losses.total, rel=0.01)
    write_html(profile, tmp_path / "report.html")
    browser.open(tmp_path / "report.html")
    browser.run('press("State", $("#timeline"))')
    browser.run("FRAME()")
    pixels = browser.run(PIXELS)
    kept = pixels.get("86,180,233,255", 0)
    assert kept == pytest.approx(pixels[GREEN], rel=0.2)
    legend = browser.run('$$("#timeline .legend li").map((each) => each.innerText)')
    assert "kept off the processors" in legend
    assert "waiting for locks" not in legend  # which nobody did
    cells = browser.run('$$("#threads tbody td").map((each) => each.innerText)')
    heads = browser.run('$$("#threads th").map((each) => each.innerText.trim())')
    row = dict(zip(heads, cells, strict=True))
    assert row["Work"] in ("499 µs", "500 µs")
    assert row["Kept off"] == "500 µs"
    assert row["Overhead"] != row["Kept off"]


@pytest.mark.parametrize("width", [1400, 700, 420])
def test_nothing_is_wider_than_the_window(page, path, width):
    page.open(path, width=width)
    assert page.run("document.documentElement.scrollWidth") <= width


def test_a_page_of_nothing_says_so(browser, tmp_path):
    writer = LogWriter()
    writer.close(10)
    writer.write(tmp_path)
    write_html(load(tmp_path)[0], tmp_path / "report.html")
    browser.open(tmp_path / "report.html")
    assert browser.run('$("#timeline").innerText') == "Nothing was recorded."
    assert browser.errors == []


@pytest.fixture(scope="module")
def profiles(tmp_path_factory):
    """Two runs; the second one is shorter."""
    found = []
    for tasks in (2000, 1000):
        where = tmp_path_factory.mktemp("logs")
        synthetic.program(2, tasks).write(where)
        found.append(load(where)[0])
    return found


def test_two_runs_have_their_timelines_below_one_another_in_the_same_scale(
    browser, profiles, tmp_path
):
    write_comparison(*profiles, tmp_path / "two.html")
    browser.open(tmp_path / "two.html")
    assert browser.run('$("#command").innerText') == compare.verdict(*profiles)
    assert browser.run('$$(".findings").length') == 1
    assert browser.run('$$("#timeline .side-name b").map((each) => each.innerText)') == ["A", "B"]
    first, second = browser.run(PIXELS), browser.run(SECOND_PIXELS)
    assert 0.4 < second[BLUE] / first[BLUE] < 0.6
    assert second["0,0,0,0"] > first.get("0,0,0,0", 0) + first[BLUE] / 4  # B has ended
    # A place that is chosen is chosen in both, a span in one of them.
    browser.run('$("#places .place").click()')
    browser.run("FRAME()")
    assert ORANGE not in browser.run(PIXELS)
    assert ORANGE not in browser.run(SECOND_PIXELS)
    browser.run('$("#timeline-canvas").focus()')
    browser.key("n")
    chosen = '/Took/.test($("#timeline-detail%s").innerText)'
    assert [browser.run(chosen % suffix) for suffix in ("", "-1")] == [True, False]
    browser.run('$("#timeline-canvas-1").focus()')
    browser.key("n")
    assert [browser.run(chosen % suffix) for suffix in ("", "-1")] == [False, True]
    assert browser.run("document.documentElement.scrollWidth") <= 1400
    assert browser.errors == []


def test_of_several_processes_the_chosen_one_is_shown(browser, profiles, tmp_path):
    write_processes(profiles, tmp_path / "processes.html")
    browser.open(tmp_path / "processes.html")

    def shown() -> list:
        return browser.run("""[
          $("#processes").hidden, $("#run").innerText, $$("#timeline canvas").length,
          $("#timeline .range").innerText,
        ]""")

    def choose(at: int) -> None:
        browser.run(f"""(() => {{
          $("#processes").value = "{at}";
          $("#processes").dispatchEvent(new Event("change"));
        }})()""")
        browser.run("new Promise((done) => setInterval(() => READY() && done(), 10))")
        browser.run("FRAME()")

    first, picture = shown(), browser.run(PIXELS)
    choose(1)
    second = shown()
    assert first[0] is second[0] is False
    assert first[2] == second[2]
    assert first[1] != second[1]
    assert first[3] != second[3]
    browser.run('$("#theme").click()')
    browser.run('$("#theme").click()')
    choose(0)
    assert shown() == first
    assert browser.run(PIXELS) == picture
    assert browser.errors == []


LONG = "__pyx_pf_7sklearn_8ensemble_29_hist_gradient_boosting_9histogram_compute_histograms_brute_"


@pytest.mark.parametrize("width", [1300, 420])
def test_long_names_keep_their_ends_and_push_nothing_out(browser, tmp_path, monkeypatch, width):
    monkeypatch.setattr(
        Symbols,
        "place",
        lambda _, address, returned=False: Place(
            address, f"{LONG}{address:x}", file="/x/hist.c", line=12
        ),
    )
    scenarios.too_coarse().write(tmp_path)
    write_html(load(tmp_path)[0], tmp_path / "report.html")
    browser.open(tmp_path / "report.html", width=width)
    assert browser.run("document.documentElement.scrollWidth") <= width
    assert browser.run(
        """$$(".findings li").every((card) => [card, ...card.querySelectorAll("*")].every(
          (each) => each.getBoundingClientRect().right <= card.getBoundingClientRect().right))"""
    )
    wide = '$$("#places .scroll-across").every((each) => each.scrollWidth <= each.clientWidth)'
    assert browser.run(wide)
    names = browser.run(
        '$$("#places .place span").map((each) => [each.innerText, each.parentElement.title])'
    )
    assert names
    for shown, title in names:
        head, tail = shown.split("…")
        assert LONG.startswith(head) and title.startswith(LONG)
        assert title.partition(",")[0].endswith(tail)
    assert browser.errors == []


def test_what_evidence_has_between_backquotes_is_code(browser, tmp_path):
    scenarios.frequent_barriers().write(tmp_path)
    write_html(load(tmp_path)[0], tmp_path / "report.html")
    browser.open(tmp_path / "report.html")
    assert "`" not in browser.run('$(".findings").innerText')
    code = browser.run('$$(".findings p:not(.advice) code").map((each) => each.innerText)')
    assert code == ["single"]


def test_a_threads_name_stands_at_the_begin_of_its_line_where_there_is_no_room(page, path):
    page.open(path, width=420)
    style = 'getComputedStyle($("#threads tbody td")).textAlign'
    assert page.run(style) in ("left", "start")


def test_work_that_takes_less_than_on_one_thread_is_told_as_on_the_terminal(browser, tmp_path):
    scenarios.busy_tasks(4, 50).write(tmp_path)
    scenarios.busy_tasks(1, 60, pid=2).write(tmp_path / "serial")
    profile = load(tmp_path)[0]
    assert profile.losses.inflation < 0
    write_html(profile, tmp_path / "report.html")
    browser.open(tmp_path / "report.html")
    legend = browser.run('$$("#split .legend li").map((each) => each.innerText)')
    for each in times(profile)[:2]:
        (line,) = (line for line in legend if line.startswith(each.name))
        told = line.removeprefix(each.name).replace("\N{MINUS SIGN}", "-").split()[0]
        assert float(told) == pytest.approx(each.value * 1e3, rel=0.01)
    drawn = browser.run('$$("#split .bar span").map((each) => parseFloat(each.style.width))')
    assert sum(drawn) == pytest.approx(100, abs=2)
