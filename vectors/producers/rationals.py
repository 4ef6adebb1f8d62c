#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Golden tables of geometry in exact fractions, from the documents alone.

continuous_axes: grid (Eq. 2), neighbours, distances, boundary and phases of the continuous layer;
continuous_chains: Eq. 4, Table 4 among them; cntk: positions, pads, kernels and workspace of CNTK's
Convolution with one to four axes, every sharing flag and mapCount.
"""

import rational_tables
import writing


def main():
    out = writing.VectorSet("rationals", "exact fractions of Python",
                            "3", "2026-11-21")
    out.add_table("continuous_axes", rational_tables.axis_rows())
    out.add_table("continuous_chains", rational_tables.chain_rows())
    out.add_table("cntk", [rational_tables.cntk_row(*each) for each in rational_tables.cntk_problems()])
    out.write()


if __name__ == "__main__":
    main()
