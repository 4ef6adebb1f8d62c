# SPDX-License-Identifier: Apache-2.0
"""Do README.md, the other documents of the root and docs/*.md say what the programs say? Run as:

    check_docs.py BIN SOURCE [--slow] [--update]

BIN is the folder of the built programs. Checked are: links and anchors; versions; every shell command of a code block (it
parses; what takes seconds runs); every option named in prose; every file, test and case that statements.md
names; that the page of the notes lists each; and each number behind which stands an invisible mark that says where it comes from. Marks are comments:

    2,538<!-- check: concord list --suite smoke -->           the number of lines that the command prints
    249<!-- check: concord vectors list =~ of (\\d+) -->       what the pattern finds in what it prints
    249/249<!-- check: ... as {0}/{0} -->                     the same, written otherwise
    111<!-- check: lines FILE -->   13<!-- check: files GLOB -->

and before a code block or table, of which each row has to agree with the line of the output that begins
with the same word or, in a table, the same cells:

    <!-- check-rows: concord vectors table -->
    <!-- check-sums: concord list --suite smoke -->           the numbers of a row add up to those lines

"slow" before the command leaves it to --slow. --update writes what the commands say in the place of what is
wrong. Exit code 0: all is true; 1: something is not; 2: wrong arguments.
"""

import argparse
import pathlib
import sys
import tempfile

import doc_commands
import doc_marks
import doc_statements
import doc_text


def check(programs, root, slow, update):
    """Every complaint of all documents, as FILE:LINE: what is wrong."""
    complaints = []
    with tempfile.TemporaryDirectory() as folder:
        shell = doc_commands.Shell(programs, root, pathlib.Path(folder))
        for path in doc_text.documents(root):
            document = doc_text.Document(path, root)
            marks = doc_marks.Marks(document, shell, slow)
            found = marks.check()
            if update and marks.corrected() != document.text:
                path.write_text(marks.corrected(), encoding="utf-8")
                print(f"{document.name}: updated")
                found = doc_marks.Marks(doc_text.Document(path, root), shell, slow).check()
            complaints += found
            complaints += doc_text.broken_links(document, root)
            complaints += doc_text.wrong_versions(document, root)
            complaints += doc_commands.wrong_commands(document, shell)
            complaints += doc_commands.unknown_options(document, shell)
        complaints += doc_text.unlisted_notes(root)
        complaints += doc_statements.complaints(root, programs.parent)
        print("Not run, or not as printed:")
        for words, reason in sorted(shell.not_run.items()):
            print(f"  {words:<60} {reason}")
    return complaints


def main():
    parser = argparse.ArgumentParser(prog="check_docs.py", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", type=lambda word: pathlib.Path(word).resolve(), metavar="BIN")
    parser.add_argument("source", type=lambda word: pathlib.Path(word).resolve(), metavar="SOURCE")
    parser.add_argument("--slow", action="store_true", help="run whole suites, too: minutes")
    parser.add_argument("--update", action="store_true", help="correct the numbers")
    arguments = parser.parse_args()
    complaints = check(arguments.programs, arguments.source, arguments.slow, arguments.update)
    for complaint in complaints:
        print(complaint)
    print(f"{len(complaints)} complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
