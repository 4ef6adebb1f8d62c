# SPDX-License-Identifier: Apache-2.0
"""Problem lines of the convolutions in models, logs and traces."""
