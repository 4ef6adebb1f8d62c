# SPDX-License-Identifier: Apache-2.0
"""Reads results.json files and says what they mean: as a page, as Markdown, compared or merged."""
