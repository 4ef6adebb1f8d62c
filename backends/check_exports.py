#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Fails if a plugin exports anything but its entry point.

usage: check_exports.py NM FOLDER

Reads every FOLDER/*.so. A weak symbol that escapes could bind to another plugin's copy of it.
"""

import pathlib
import subprocess
import sys

ENTRY_POINT = {"concord_plugin_v1"}
MORE = {"faulty.so": {"concord_faulty_catalogue"}, "legal.so": {"concord_legal_catalogue"}}


def exports(nm, plugin):
    """The names of the dynamic symbols that `plugin` defines."""
    output = subprocess.run([nm, "-D", "--defined-only", plugin], check=True, text=True,
                            stdout=subprocess.PIPE).stdout
    return {line.split()[-1] for line in output.splitlines() if line.strip()}


def complaints(nm, folder):
    plugins = sorted(pathlib.Path(folder).glob("*.so"))
    if not plugins:
        yield f"{folder} has no plugins"
    for plugin in plugins:
        found, wanted = exports(nm, plugin), ENTRY_POINT | MORE.get(plugin.name, set())
        if found - wanted:
            yield f"{plugin} exports {', '.join(sorted(found - wanted))}"
        if wanted - found:
            yield f"{plugin} lacks {', '.join(sorted(wanted - found))}"


def main(arguments):
    if len(arguments) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    found = list(complaints(arguments[1], arguments[2]))
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
