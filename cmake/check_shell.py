#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs shellcheck over every shell script. usage: check_shell.py ROOT SHELLCHECK"""

import pathlib
import subprocess
import sys

import source_tree


def main(arguments):
    if len(arguments) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    root = pathlib.Path(arguments[1])
    scripts = [str(path) for path in source_tree.files(root)
               if path.suffix == ".sh" or
               (path.suffix == "" and source_tree.is_script(root, path, "sh"))]
    code = subprocess.run([arguments[2], "--external-sources", *scripts], cwd=root,
                          check=False).returncode
    print(f"shell: {len(scripts)} scripts")
    return 1 if code or not scripts else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
