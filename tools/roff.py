# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Markdown to the language of manual pages, as far as this project's pages use it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token

# Documents that are manual pages themselves.
PAGES = {"cli.md": "xomp(1)", "variables.md": "xomp-variables(7)"}


def escape(text: str) -> str:
    # Alternatives may begin a line (groff's \:).
    text = text.replace("\\", r"\e").replace("|", r"|\:").replace("-", r"\-").replace("`", r"\(ga")
    return text.replace("'", r"\(aq").replace("^", r"\(ha").replace("~", r"\(ti")


def line(text: str) -> str:
    """A line of text: a dot at its beginning would be a request."""
    return rf"\&{text}" if text.startswith((".", "'")) else text


def bold(text: str) -> str:
    return rf"\fB{escape(text)}\fR"


def paragraph(text: str) -> str:
    return f".PP\n{line(escape(text))}"


def section(title: str) -> str:
    return f".SH {escape(title.upper())}"


def entry(term: str, text: str) -> str:
    """A term with its explanation; `text` is roff."""
    return f".TP\n{term}\n{line(text)}"


def place(link: str) -> str:
    """Where a document's link leads, for a reader of the manual page; nothing within a document."""
    document = link.partition("#")[0]
    if "://" in link or not document:
        return link if document else ""
    return PAGES.get(document, f"docs/{document}".replace("docs/../", ""))


def inline(token: Token) -> str:
    parts: list[str] = []
    links: list[tuple[str, int]] = []
    for child in token.children or ():
        if child.type == "text":
            parts.append(escape(child.content))
        elif child.type == "code_inline":
            parts.append(bold(child.content))
        elif child.type in ("softbreak", "hardbreak"):
            parts.append(" ")
        elif child.type in ("strong_open", "em_open"):
            parts.append(r"\fB" if child.type == "strong_open" else r"\fI")
        elif child.type in ("strong_close", "em_close"):
            parts.append(r"\fR")
        elif child.type == "link_open":
            links.append((str(child.attrs["href"]), len(parts)))
        elif child.type == "link_close":
            link, begin = links.pop()
            if where := place(link):
                if "".join(parts[begin:]) == escape(
                    link.rpartition("/")[2]
                ):  # its name is its text
                    parts[begin:] = [escape(where)]
                else:
                    parts.append(f" ({escape(where)})")
    return "".join(parts).strip()


def convert(markdown: str, leave_out: Sequence[str] = ()) -> str:
    """The text in roff. Tables become lists of terms; those whose first column has one of the
    titles in `leave_out` do not appear."""
    tokens = MarkdownIt("commonmark").enable("table").parse(markdown)
    out: list[str] = []
    at = 0
    in_item = 0
    while at < len(tokens):
        token = tokens[at]
        if token.type == "heading_open":
            kind = ".SH" if token.tag in ("h1", "h2") else ".SS"
            text = inline(tokens[at + 1])
            out.append(f"{kind} {text}")
            at += 2
        elif token.type == "paragraph_open" and not in_item:
            out.append(".PP")
        elif token.type == "inline":
            out.append(line(inline(token)))
        elif token.type == "list_item_open":
            mark = r"\(bu" if token.markup in "-*+" else f"{token.info}."
            out.append(f".IP {mark} 4")
            in_item += 1
        elif token.type == "list_item_close":
            in_item -= 1
        elif token.type in ("fence", "code_block"):
            text = "\n".join(line(escape(each)) for each in token.content.rstrip().split("\n"))
            out.append(f".PP\n.RS 4\n.nf\n{text}\n.fi\n.RE")
        elif token.type == "table_open":
            end = next(i for i in range(at, len(tokens)) if tokens[i].type == "table_close")
            out += table(tokens[at:end], leave_out)
            at = end
        at += 1
    return "\n".join(out)


def table(tokens: list[Token], leave_out: Sequence[str]) -> list[str]:
    cells = [
        inline(after) for token, after in pairwise(tokens) if token.type in ("th_open", "td_open")
    ]
    titles = [inline(after) for token, after in pairwise(tokens) if token.type == "th_open"]
    if titles[0] in leave_out:
        return []
    width = len(titles)
    rows = [cells[start : start + width] for start in range(width, len(cells), width)]
    return [
        entry(
            row[0],
            "; ".join(
                f"{title}: {cell}" if title and number else cell
                for number, (title, cell) in enumerate(zip(titles[1:], row[1:], strict=True))
                if cell
            ),
        )
        for row in rows
    ]
