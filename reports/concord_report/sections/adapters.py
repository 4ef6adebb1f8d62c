# SPDX-License-Identifier: Apache-2.0
"""What the adapters do because their libraries cannot, which kernels ran, and by which arithmetic
the cases were judged.
"""

import collections

from concord_report import verdict

NAME = "adapters"
TITLE = "Adapters and kernels"

LOWERED = "Declined, and judged as the equivalent Convolution"
KINDS = (("Done by the adapter", "adapter_part"), ("Kernel, as named by the library", "implementation"),
         ("Judged as", "class"))


def build(report):
    """backends: [(backend, [(kind, number of texts, [(text, judged cases)])])]"""
    backends = []
    for backend in report.backends:
        kinds = []
        for title, counted in _counters(backend.results):
            if counted:
                rows = sorted(counted.items(), key=lambda row: (-row[1], row[0]))
                kinds.append((title, len(rows), rows[:report.most]))
        if kinds:
            backends.append((backend, kinds))
    return {"backends": backends} if backends else None


def _counters(results):
    """(title, a Counter of texts over the judged cases) of each kind."""
    lowered = collections.Counter(r["operation"] for r in results.full
                                  if r["lowered"] and r["verdict"] in verdict.JUDGED)
    yield LOWERED, lowered
    for title, field in KINDS:
        counted = collections.Counter()
        for (word, text), cases in results.counted("verdict", field).items():
            if word in verdict.JUDGED and text:
                counted[text] += cases
        yield title, counted
