# SPDX-License-Identifier: Apache-2.0
"""Do the sessions of the documents go as they are printed? Run as:

    check_sessions.py BIN SOURCE

BIN is the folder of the built programs. A block of code behind the mark <!-- session --> holds commands, each behind
"$ ", and below each what it prints to standard output. "..." stands for any text, on a line of its own for any
lines. A block behind <!-- file: NAME --> is what the reader writes into the file NAME. The blocks of a document are
played in their order, in one folder, which is empty in the beginning. Exit code 0: all go as printed; 1: one does
not; 2: wrong arguments.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import doc_text

END = "the command has ended: "
# How far this machine can confine a plugin is no part of a session.
LESS_CONFINED = re.compile(r"^\S+: sandbox: (?:seccomp|rlimits) \(.*\)\n|, sandbox: (?:seccomp|rlimits)(?= \()", re.MULTILINE)
TIMEOUT = 300


class Player:
    """A shell for the blocks of one document: it keeps the working folder and the last exit code."""

    def __init__(self, programs, folder):
        self.folder, self.code = folder, 0
        self.environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "NO_COLOR": "1"}

    def write(self, name, lines):
        (self.folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")

    def run(self, command):
        """What it prints to standard output."""
        script = f"(exit {self.code})\n{command}\nprintf '\\n{END}%s %s' $? \"$PWD\""
        done = subprocess.run(["bash", "-c", script], cwd=self.folder, env=self.environment, text=True, check=False,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT)
        out, end, state = done.stdout.rpartition("\n" + END)
        if not end:  # it left the shell
            return done.stdout
        code, _, folder = state.partition(" ")
        self.code, self.folder = int(code), pathlib.Path(folder)
        return out


def commands(first, block):
    """(line number, command, [(line number, what it prints)]) of a session; a backslash continues a command."""
    found = []
    for number, line in enumerate(block, first):
        if line.startswith("$ "):
            found.append((number, line[2:], []))
        elif found and found[-1][1].endswith("\\") and not found[-1][2]:
            found[-1] = (found[-1][0], f"{found[-1][1]}\n{line}", [])
        elif found:
            found[-1][2].append((number, line))
        elif line:
            raise ValueError(f"{number}: a session begins with a command behind \"$ \"")
    return found


def pattern(line):
    """A regular expression of a printed line."""
    if line.strip() == "...":
        return r"(?:.*\n)*?"
    return ".*".join(re.escape(part) for part in line.rstrip().split("...")) + r" *\n"


def mismatch(expected, printed):
    """(line number, what is printed in its place) of the first line that differs, or None."""
    printed = LESS_CONFINED.sub("", printed)
    printed = printed.strip("\n") + "\n" if printed.strip() else ""
    while expected and not expected[-1][1].strip():  # before the next command
        expected = expected[:-1]
    whole, reached = "", 0
    for number, line in expected:
        whole += pattern(line)
        found = re.match(whole, printed)
        if not found:
            return number, printed[reached:].partition("\n")[0] or "nothing"
        reached = found.end()
    if re.fullmatch(whole, printed):
        return None
    return (expected[-1][0] if expected else None), printed[reached:].partition("\n")[0]


def play(document, programs):
    """Complaints of the sessions of a document."""
    with tempfile.TemporaryDirectory() as folder:
        player = Player(programs, pathlib.Path(folder))
        for name, first, block in document.played:
            if name:
                player.write(name, block)
                continue
            for number, command, expected in commands(first, block):
                found = mismatch(expected, player.run(command))
                if found:
                    yield f"{document.name}:{found[0] or number}: {command!r} prints {found[1]!r} here"


def main():
    parser = argparse.ArgumentParser(prog="check_sessions.py", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", type=lambda word: pathlib.Path(word).resolve(), metavar="BIN")
    parser.add_argument("source", type=lambda word: pathlib.Path(word).resolve(), metavar="SOURCE")
    arguments = parser.parse_args()
    played, complaints = 0, []
    for path in doc_text.documents(arguments.source):
        document = doc_text.Document(path, arguments.source)
        played += len(document.played)
        complaints += play(document, arguments.programs)
    for complaint in complaints:
        print(complaint)
    print(f"{played} blocks, {len(complaints)} complaints")
    return 1 if complaints or not played else 0


if __name__ == "__main__":
    sys.exit(main())
