# SPDX-License-Identifier: Apache-2.0
"""What the failures of each backend have in common, and the smallest cases that show them."""

NAME = "smallest"
TITLE = "Smallest failing cases"


def build(report):
    """backends: [(backend, diagnosis or None, [shrunk failures])], only of those that have either
    or would conform as another class.
    """
    backends = [(backend, backend.data["diagnosis"], backend.data["shrunk"])
                for backend in report.backends
                if backend.data["diagnosis"] or backend.data["shrunk"]
                or backend.data["would_conform"]]
    return {"backends": backends} if backends else None
