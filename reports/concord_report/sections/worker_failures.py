# SPDX-License-Identifier: Apache-2.0
"""Crashes, hangs, broken claims, and cases that say nothing: vacuous ones and harness errors."""

from concord_report import text, verdict

NAME = "worker_failures"
TITLE = "Crashes and other failures of workers"

SHOWN = (verdict.CRASH, verdict.HANG, verdict.CLAIM_BROKEN, verdict.HARNESS_ERROR, verdict.VACUOUS)


def build(report):
    """backends: [(backend, [(verdict, all its cases, of which the first `most` are told in full)])]"""
    backends = []
    for backend in report.backends:
        kinds = []
        for word in SHOWN:
            cases = text.simplest(backend.results.those(verdict={word}))
            if cases:
                kinds.append((word, cases))
        if kinds:
            backends.append((backend, kinds))
    return {"backends": backends} if backends else None
