# SPDX-License-Identifier: Apache-2.0
"""The command line of a page that is made from counts which the repository keeps."""

import sys


def main(arguments, usage, add, write, complaints):
    """Runs `add FILE...`, `page` or `check`; the exit code is 1 if there are complaints, 2 if the arguments are other
    ones. `complaints()` yields what is wrong with the page as it is.
    """
    if arguments[1:2] == ["add"] and len(arguments) > 2:
        add(arguments[2:])
    elif arguments[1:] == ["page"]:
        write()
    elif arguments[1:] == ["check"]:
        found = list(complaints())
        for each in found:
            print(each)
        return 1 if found else 0
    else:
        print(usage, file=sys.stderr)
        return 2
    return 0
