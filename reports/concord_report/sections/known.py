# SPDX-License-Identifier: Apache-2.0
"""Failures that were known, those that were not, and cases that pass although they should fail."""

NAME = "known"
TITLE = "Known failures"


def build(report):
    """known: a known.Known, if a list was given."""
    return None if report.known is None else {"known": report.known}
