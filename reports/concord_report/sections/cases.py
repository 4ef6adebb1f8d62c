# SPDX-License-Identifier: Apache-2.0
"""Every case on every backend: a list to filter and sort, with a link for each case."""

import markupsafe

from concord_report import case_list

NAME = "cases"
TITLE = "All cases"


def build(report):
    """packed: the results as the page's script reads them."""
    if not any(backend.results for backend in report.backends):
        return None
    return {"packed": markupsafe.Markup(case_list.packed(report))}  # base64
