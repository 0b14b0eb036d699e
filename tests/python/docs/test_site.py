# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The documents as a site: its links, its pictures, its search, and how it looks on a telephone."""

import json
import os
import subprocess
import sys
import time
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from threading import Thread

import pytest

from browser import CHROMIUM, Browser

READY = "addEventListener('load', () => { document.documentElement.dataset.ready = ''; });"
QUERY = "$('input[data-md-component=search-query]')"
WAIT = 60


@pytest.fixture(scope="module")
def site(root, library):
    """The site's folder, as `make docs` builds it; a link that leads nowhere would end it."""
    for name in ("material", "matplotlib"):
        if not find_spec(name):
            pytest.skip(f"there is no Python package {name}")
    quiet = {"capture_output": True, "text": True, "cwd": root, "check": False}
    done = subprocess.run([sys.executable, "-B", "tools/site.py", "build/site/pages"], **quiet)
    assert done.returncode == 0, done.stderr
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet"],
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        **quiet,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return root / "build/site/html"


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    if CHROMIUM is None:
        pytest.skip("there is no Chromium")
    with Browser(tmp_path_factory.mktemp("profile")) as found:
        yield found


class Served:
    """A page of the site, as the browser's `open` takes it."""

    def __init__(self, port: int, name: str) -> None:
        self.address = f"http://127.0.0.1:{port}/{name}"

    def as_uri(self) -> str:
        return self.address


class Silent(SimpleHTTPRequestHandler):
    def log_message(self, *words) -> None:
        pass


@pytest.fixture(scope="module")
def served(site):
    """The site from a server on this machine: a page by its name."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Silent, directory=str(site)))
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield lambda name: Served(server.server_port, name)
    server.shutdown()
    thread.join()
    server.server_close()


def pages(site):
    return [path for path in sorted(site.rglob("*.html")) if path.name != "404.html"]


def test_every_document_is_a_page(site, root):
    command = ["git", "ls-files", "README.md", "docs/*.md", "runtime/*.md"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip("no checkout of git")
    made = {str(path.relative_to(site)) for path in pages(site)}
    for name in done.stdout.split():
        page = name.replace("README.md", "index.html").replace(".md", ".html")
        assert page in made


def test_the_example_has_its_report(site):
    text = (site / "docs/example/index.html").read_text()
    assert 'href="report.html"' in text and "Where the time went" in text
    assert (site / "docs/example/report.html").stat().st_size > 100_000


def test_pages_fetch_nothing_from_elsewhere_and_show_their_pictures(served, browser):
    for name in ("index.html", "docs/results/benchmarks/all.html", "docs/install.html"):
        browser.open(served(name), before=READY)
        wait_for(browser, "$$('img').every((each) => each.complete)")
        assert browser.run("$$('article img').every((each) => each.naturalWidth > 300)")
        assert [
            url for url in browser.requests if not url.startswith(("http://127.0.0.1:", "data:"))
        ] == []
        assert browser.errors == []


def wait_for(browser, condition: str) -> None:
    end = time.monotonic() + WAIT
    while not browser.run(condition):
        assert time.monotonic() < end, condition
        time.sleep(0.05)


@pytest.mark.parametrize("place", ["a server", "the disk"])
def test_search_finds_a_variable(place, site, served, browser):
    browser.open(served("index.html") if place == "a server" else site / "index.html", before=READY)
    wait_for(browser, f"{QUERY} !== null")
    browser.run(
        f"""(() => {{
          $('#__search').click(); // as whoever comes to the field does
          const query = {QUERY};
          query.value = "XOMP_WATCHDOG";
          query.dispatchEvent(new Event("input", {{bubbles: true}}));
          query.dispatchEvent(new Event("keyup", {{bubbles: true}}));
        }})()"""
    )
    found = "$$('.md-search-result__link').some((each) => each.href.includes('variables.html'))"
    wait_for(browser, found)
    assert browser.errors == []


def beyond_with(browser, path) -> int:
    """By how many pixels what is shown is wider than the window with a page's article in place of
    that of the page that is open: frame and scripts are the same in all, and take most of the time
    to open one."""
    return browser.run(
        f"""(async () => {{
          const page = new DOMParser().parseFromString({json.dumps(path.read_text())}, "text/html");
          $("base").href = {json.dumps(path.as_uri())}; // for its pictures
          $("article").replaceWith(page.querySelector("article"));
          await Promise.all($$("article img").map((each) => each.decode()));
          const shown = document.documentElement;
          return shown.scrollWidth - shown.clientWidth;
        }})()"""
    )


def test_no_page_is_wider_than_a_telephone(site, browser, tmp_path):
    browser.open(site / "index.html", width=360, before=READY)
    browser.run("document.head.append(document.createElement('base'))")
    found = [path for path in pages(site) if path.name != "report.html"]  # has tests of its own
    assert len(found) > 50
    beyond = {str(path.relative_to(site)): beyond_with(browser, path) for path in found}
    assert {name: pixels for name, pixels in beyond.items() if pixels} == {}
    too_wide = tmp_path / "page.html"
    too_wide.write_text("<article><p style='width: 500px'>Wide</p></article>")
    assert beyond_with(browser, too_wide) > 0
