#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Golden vectors of CNTK's and of the continuous convolution in exact fractions, and tables of
their geometry, from the documents alone.

continuous_axes: grid (Eq. 2), neighbours, distances, boundary and phases of the continuous layer;
continuous_chains: Eq. 4, Table 4 among them; cntk: positions, pads, kernels and workspace of CNTK's
Convolution with one to four axes, every sharing flag and mapCount.
"""

import cntk_vectors
import continuous_vectors
import rational_tables
import writing


def main():
    out = writing.VectorSet("rationals", "exact fractions of Python",
                            "3", "2026-11-21")
    out.add_table("continuous_axes", rational_tables.axis_rows())
    out.add_table("continuous_chains", rational_tables.chain_rows())
    out.add_table("cntk", [rational_tables.cntk_row(*each) for each in rational_tables.cntk_problems()])
    cntk_vectors.add_all(out)
    continuous_vectors.add_all(out)
    out.write()


if __name__ == "__main__":
    main()
