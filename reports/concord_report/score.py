# SPDX-License-Identifier: Apache-2.0
"""How good a suite is: the share of wrong implementations that it finds, as docs/score.json records it."""

import functools
import json
import pathlib

from concord_report import text

SCORE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "score.json"
WHAT = {"planted": "planted bugs", "mutants": "machine-made bugs"}


@functools.cache
def _scores():
    return json.loads(SCORE.read_text(encoding="utf-8"))


def of_suite(suite):
    """["finds 359 of 359 planted bugs", "finds 61 of 88 machine-made bugs"], of what is measured."""
    said = []
    for kind, what in WHAT.items():
        score = _scores()[kind].get(suite)
        if score:
            said.append(f"finds {text.grouped(score['found'])} of {text.grouped(score['of'])} {what}")
    return said
