#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Fails if the layout of a struct of the C header is not the one on record.

usage: check_abi.py HEADER RECORD CC [--update]

A plugin that was compiled against an earlier header reads and writes the fields at the offsets of
that day. The record holds the size of each struct, the offset and the size of each field, and the
value of each enumerator and limit. A struct with a struct_size may grow at its end; the first
numbers of `reserved` may get names; enumerators may be added; --update then writes the record anew. Anything else breaks plugins that exist.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
STRUCT = re.compile(r"typedef struct (\w+) \{(.*?)\n\} \1;", re.DOTALL)
ENUM = re.compile(r"enum(?: \w+)? \{(.*?)\}", re.DOTALL)
LIMIT = re.compile(r"^#define (CONCORD_(?:ABI|TEXT|MAX_\w+)) ", re.MULTILINE)
# The name of a declarator: `void *(*open)(...)`, `int64_t at[8]`, `const char *name`.
FUNCTION_POINTER = re.compile(r"\(\*(\w+)\)\(")
PLAIN = re.compile(r"(\w+)(?:\[\w+\])?$")


def fields(body):
    """The names of a struct's fields, in order."""
    names = []
    for declaration in filter(None, (part.strip() for part in body.split(";"))):
        match = FUNCTION_POINTER.search(declaration) or PLAIN.search(declaration)
        names.append(match.group(1))
    return names


def program(header_name, text):
    """A C program that prints the layout, one line a fact."""
    lines = [f'#include "{header_name}"', "#include <stdio.h>", "int main(void) {"]
    for name in LIMIT.findall(text):
        lines.append(f'printf("{name} = %lld\\n", (long long){name});')
    for body in ENUM.findall(text):
        for name in re.findall(r"(CONCORD_\w+) =", body):
            lines.append(f'printf("{name} = %lld\\n", (long long){name});')
    for name, body in STRUCT.findall(text):
        lines.append(f'printf("struct {name}: size %zu\\n", sizeof({name}));')
        for field in fields(body):
            lines.append(f'printf("{name}.{field}: offset %zu, size %zu\\n", '
                         f"offsetof({name}, {field}), sizeof((({name} *)0)->{field}));")
    return "\n".join([*lines, "return 0;", "}", ""])


def layout(header, compiler):
    """What the compiler says of every struct, field, enumerator and limit: {what: value}."""
    text = COMMENT.sub("", header.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        source, binary = (pathlib.Path(folder) / name for name in ("layout.c", "layout"))
        source.write_text(program(header.name, text), encoding="utf-8")
        subprocess.run([compiler, "-std=c99", "-I", header.parent, source, "-o", binary], check=True)
        return subprocess.run([binary], check=True, capture_output=True, text=True).stdout


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("header", type=pathlib.Path)
    parser.add_argument("record", type=pathlib.Path)
    parser.add_argument("compiler")
    parser.add_argument("--update", action="store_true")
    arguments = parser.parse_args()
    found = layout(arguments.header, arguments.compiler)
    if arguments.update:
        arguments.record.write_text(found, encoding="utf-8")
        return 0
    recorded = arguments.record.read_text(encoding="utf-8").splitlines()
    lines = found.splitlines()
    for line in recorded:
        if line not in lines:
            print(f"on record, but not so any more: {line}")
    for line in lines:
        if line not in recorded:
            print(f"not on record: {line}")
    return 0 if recorded == lines and lines else 1


if __name__ == "__main__":
    sys.exit(main())
