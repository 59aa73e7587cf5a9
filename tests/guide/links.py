#!/usr/bin/env python3
"""Checks that no link is dead: links.py [FOLDER OF HTML]

Without a folder, all links of the Markdown documents: files exist, and anchors are those of a heading (as GitHub and Sphinx
make them). With a folder, the links, pictures and scripts of its HTML pages: everything lies in the folder, and every
fragment is the id of an element. Addresses of other sites are not fetched; a page may not load anything from them."""

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from pages import ROOT, documents, without_blocks


def anchors(page):
    """The anchors of a page's headings, by GitHub's rule: lower case, no punctuation, hyphens for spaces, numbered if repeated."""
    found = set()
    for heading in re.findall(r"^#{1,6} +(.*?) *$", without_blocks(page.read_text()), re.M):
        text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").replace("*", "").lower()
        anchor = base = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
        number = 0
        while anchor in found:
            number += 1
            anchor = f"{base}-{number}"
        found.add(anchor)
    return found


def dead_links_of_markdown():
    for page in documents():
        lines = without_blocks(page.read_text()).split("\n")
        for number, line in enumerate(lines, 1):
            prose = re.sub(r"`[^`]*`", "", line)
            for target in re.findall(r"\]\(([^)\s]+)\)", prose):
                parts = urlsplit(target)
                if parts.scheme:
                    continue
                file = (page.parent / unquote(parts.path)).resolve() if parts.path else page
                place = f"{page.relative_to(ROOT)}:{number}: {target}"
                if not file.exists():
                    yield f"{place}: no such file"
                elif parts.fragment and file.suffix == ".md" and unquote(parts.fragment) not in anchors(file):
                    yield f"{place}: no such heading"


class Html(HTMLParser):
    """Ids of a page, the targets of its links, and what it loads."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.loads = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.ids.update(filter(None, (attributes.get("id"), attributes.get("name") if tag == "a" else None)))
        if tag == "a" and attributes.get("href"):
            self.links.append(attributes["href"])
        elif tag == "link" and attributes.get("href") and attributes.get("rel") not in ("canonical",):
            self.loads.append(attributes["href"])
        elif attributes.get("src"):
            self.loads.append(attributes["src"])


def dead_links_of_html(site):
    pages = {file.resolve(): Html(file.read_text()) for file in site.rglob("*.html")}
    for file, page in pages.items():
        for target in page.links + page.loads:
            parts = urlsplit(target)
            place = f"{file.relative_to(site)}: {target}"
            if parts.scheme or parts.netloc:
                if target in page.loads and parts.scheme != "data":
                    yield f"{place}: is loaded from elsewhere"
                continue
            there = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            if not there.is_relative_to(site) or not there.is_file():
                yield f"{place}: no such file"
            elif parts.fragment and there in pages and unquote(parts.fragment) not in pages[there].ids:
                yield f"{place}: no such id"


def main():
    dead = list(dead_links_of_html(Path(sys.argv[1]).resolve()) if len(sys.argv) > 1 else dead_links_of_markdown())
    for line in dead:
        print(line)
    return 1 if dead else 0


if __name__ == "__main__":
    sys.exit(main())
