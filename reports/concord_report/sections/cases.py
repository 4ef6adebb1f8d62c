# SPDX-License-Identifier: Apache-2.0
"""Every case on every backend: a list to filter and sort, with a link for each case."""

import shlex

import markupsafe

from concord_report import case_list

NAME = "cases"
TITLE = "All cases"


def build(report):
    """packed: the results as the page's script reads them; left_out: how many cases lack their problem there."""
    if not any(backend.results for backend in report.backends):
        return None
    data = case_list.listed(report)
    return {"packed": markupsafe.Markup(case_list.packed(data)),  # base64
            "left_out": data["left_out"], "command": data["command"],
            "to_csv": " ".join(["concord report", *(shlex.quote(file.path) for file in report.files), "-o cases.csv"])}
