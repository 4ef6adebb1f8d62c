# SPDX-License-Identifier: Apache-2.0
"""What the adapters do because their libraries cannot, which kernels ran, and by which arithmetic
the cases were judged.
"""

import collections

from concord_report import verdict

NAME = "adapters"
TITLE = "Adapters and kernels"

KINDS = (("Declined, and judged as the equivalent Convolution",
          lambda r: r["operation"] if r["lowered"] else ""),
         ("Done by the adapter", lambda r: r["adapter_part"]),
         ("Kernel, as named by the library", lambda r: r["implementation"]),
         ("Judged as", lambda r: r["class"]))


def build(report):
    """backends: [(backend, [(kind, number of texts, [(text, judged cases)])])]"""
    backends = []
    for backend in report.backends:
        judged = [r for r in backend.results if r["verdict"] in verdict.JUDGED]
        kinds = []
        for title, text_of in KINDS:
            counted = collections.Counter(text_of(r) for r in judged if text_of(r))
            if counted:
                rows = sorted(counted.items(), key=lambda row: (-row[1], row[0]))
                kinds.append((title, len(rows), rows[:report.most]))
        if kinds:
            backends.append((backend, kinds))
    return {"backends": backends} if backends else None
