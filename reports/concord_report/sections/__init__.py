# SPDX-License-Identifier: Apache-2.0
"""The sections of a report. Each module has NAME (also of its template), TITLE and build(report),
which returns what the template needs, or None if there is nothing to say.
"""
