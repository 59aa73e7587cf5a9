"""Markdown pages of the project: which there are, and the fenced blocks in them."""

import re
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def documents(root=ROOT):
    """All pages of the project. The log of changes says what was, so its commands are not those of today."""
    folders = ("scenarios", "platforms", "models", "distributions", "simulator", "tests")
    pages = [*root.glob("*.md"), *(page for folder in folders for page in (root / folder).rglob("*.md"))]
    return sorted(page for page in pages if "node_modules" not in page.parts and page.name != "CHANGELOG.md")


@dataclass
class Block:
    """A fenced block. Lines count from 1; `text` is between the fences."""

    language: str
    text: str
    first: int  # line of the opening fence
    last: int  # line of the closing fence
    marks: dict = field(default_factory=dict)  # of the comments <!-- KEY: VALUE --> just before the block


def blocks(page_text):
    """Returns the blocks of a page in order."""
    found, marks, lines = [], {}, page_text.split("\n")
    number = 0
    while number < len(lines):
        line = lines[number]
        opening = re.fullmatch(r"```(\w*)", line)
        if opening:
            end = lines.index("```", number + 1)
            found.append(Block(opening[1], "\n".join(lines[number + 1 : end]), number + 1, end + 1, marks))
            marks, number = {}, end
        elif comment := re.fullmatch(r"<!-- ([a-z ]+): (.*) -->", line):
            marks[comment[1]] = comment[2]
        elif line.strip():
            marks = {}
        number += 1
    return found


def without_blocks(page_text):
    """Returns the page with the lines of its blocks empty: prose, with the same numbers of lines."""
    lines = page_text.split("\n")
    for block in blocks(page_text):
        lines[block.first - 1 : block.last] = [""] * (block.last - block.first + 1)
    return "\n".join(lines)
