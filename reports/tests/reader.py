# SPDX-License-Identifier: Apache-2.0
"""Reads a report's page as a browser without scripts does: a tree of elements with their text."""

import html.parser

INLINE = {"b", "span", "code", "a", "i", "wbr"}
VOID = {"meta", "link", "br", "img", "input", "hr", "wbr"}


class Element:
    def __init__(self, tag, attributes):
        self.tag, self.attributes, self.children = tag, dict(attributes), []

    def all(self, tag=None, css=None):
        """Every element below with this tag and class, in the order of the page."""
        for child in self.children:
            if isinstance(child, Element):
                if tag in (None, child.tag) and (css is None or css in child.classes):
                    yield child
                yield from child.all(tag, css)

    def one(self, tag=None, css=None):
        (found,) = self.all(tag, css)
        return found

    @property
    def classes(self):
        return (self.attributes.get("class") or "").split()

    @property
    def text(self):
        """The text below, white space as one space; the texts of two blocks never touch."""
        return " ".join(self._raw().split())

    def _raw(self):
        inside = "".join(c._raw() if isinstance(c, Element) else c for c in self.children)
        return inside if self.tag in INLINE else f" {inside} "


class _Builder(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.root = Element("root", {})
        self.open = [self.root]

    def handle_starttag(self, tag, attrs):
        element = Element(tag, attrs)
        self.open[-1].children.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_endtag(self, tag):
        if self.open[-1].tag != tag:
            raise AssertionError(f"</{tag}> closes <{self.open[-1].tag}>")
        self.open.pop()

    def handle_data(self, data):
        self.open[-1].children.append(data)


def read(page):
    """The page's root; every element must be closed where it was opened."""
    builder = _Builder()
    builder.feed(page)
    builder.close()
    if len(builder.open) != 1:
        raise AssertionError(f"<{builder.open[-1].tag}> is never closed")
    return builder.root
