# SPDX-License-Identifier: Apache-2.0
"""The digest that a results.json carries of itself: the SHA-256 of each of its parts. A part's text is
that of the file without the white space outside its strings.
"""

import hashlib
import json
import re

PARTS = ("concord", "run", "cases")
_DECODER = json.JSONDecoder()
_STRING_OR_SPACE = re.compile(r'("(?:[^"\\]|\\.)*")|[ \t\r\n]+')
_SPACE = re.compile(r"[ \t\r\n]*")


def of_cases(cases):
    """Of the ids and problems, sorted: concord list --suite NAME | cut -f1,2 | LC_ALL=C sort | sha256sum"""
    lines = sorted(f"{case}\t{problem}\n".encode("utf-8", "surrogatepass") for case, problem in cases)
    return hashlib.sha256(b"".join(lines)).hexdigest()


def of_digests(digests):
    """Of a line for each, in their order."""
    return hashlib.sha256("".join(each + "\n" for each in digests).encode()).hexdigest()


class Altered(Exception):
    """The first part whose digest is not the stated one, and why."""


def sealed(document):
    """The document with the digest of its other fields."""
    def text(part):
        return json.dumps(part, ensure_ascii=True, allow_nan=False, separators=(",", ":"))

    made = {part: _sha256(text(document[part])) for part in PARTS}
    made["backends"] = [_sha256(text(backend)) for backend in document["backends"]]
    return dict(document, digest=made)


def check(text, stated):
    """Raises Altered unless each part of the text of a document has the stated digest."""
    found = {}
    for key, begin, end in _members(text, _SPACE.match(text).end()):
        if key in found:
            raise Altered(f"{key} comes twice")
        found[key] = begin, end
    for part in PARTS:
        _compare(part, _sha256(text[slice(*found[part])]), stated[part])
    backends = [_sha256(text[begin:end]) for _, begin, end in _members(text, found["backends"][0])]
    if len(backends) != len(stated["backends"]):
        raise Altered(f"there are {len(backends)} backends, and digests of {len(stated['backends'])}")
    for place, (is_now, was) in enumerate(zip(backends, stated["backends"])):
        _compare(f"backends[{place}]", is_now, was)


def _compare(part, is_now, was):
    if is_now != was:
        raise Altered(f"{part} was altered after the file was written: its SHA-256 is {is_now}, not {was}")


def _sha256(text):
    return hashlib.sha256(_STRING_OR_SPACE.sub(r"\1", text).encode("utf-8", "surrogatepass")).hexdigest()


def _members(text, begin):
    """(key, begin, end) of each value of the object or array that begins there; an array has no keys."""
    is_object = text[begin] == "{"
    at = _SPACE.match(text, begin + 1).end()
    while text[at] not in "]}":
        key = None
        if is_object:
            key, at = _DECODER.raw_decode(text, at)
            at = _SPACE.match(text, _SPACE.match(text, at).end() + 1).end()  # behind the colon
        _, end = _DECODER.raw_decode(text, at)
        yield key, at, end
        at = _SPACE.match(text, end).end()
        if text[at] == ",":
            at = _SPACE.match(text, at + 1).end()
