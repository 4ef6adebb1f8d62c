# SPDX-License-Identifier: Apache-2.0
"""SciPy 1.10.1: ndimage.correlate leaves out weights of at most 2.2e-16, and those that are NaN. Exits with 0 if
that is so."""

import sys

import numpy as np
import scipy
from scipy import ndimage

image, taps = np.array([1, 2, 3, 4]) * 1e20, np.array([1, 2, 3]) * 1e-17
small = ndimage.correlate(image, taps, mode="constant")[1]
nan = ndimage.correlate(np.ones(3), np.array([0, np.nan, 1]), mode="constant")[1]
print(f"SciPy {scipy.__version__}: expected {np.dot(image[:3], taps):g} and nan, got {small:g} and {nan:g}")
sys.exit(0 if small == 0 and nan == 1 else 1)
