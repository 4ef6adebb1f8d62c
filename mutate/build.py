# SPDX-License-Identifier: Apache-2.0
"""Builds plugins with one translation unit mutated, from what the build folder says of them.

The units of a source are compiled to LLVM IR once, lightly optimised and not inlined, with line
tables: what is mutated. From there each is compiled with -O2. A mutant is one unit compiled again
and the plugin linked again.
"""

import concurrent.futures
import hashlib
import json
import pathlib
import shlex
import subprocess
from typing import NamedTuple

import ir

PAGE = 4096
LIGHTLY = ["-O1", "-fno-inline-functions", "-fno-unroll-loops", "-gline-tables-only", "-S",
           "-emit-llvm"]
FULLY = ["-O2", "-fPIC", "-x", "ir", "-c", "-"]
# A compiler that takes as long as this is in an endless loop of its own.
DEADLINE = 300


class BuildError(Exception):
    """A command that failed, with what it said."""


class Unit(NamedTuple):
    """A translation unit: its source relative to the root, its object as the link names it."""
    path: str
    object: str
    command: tuple


def run(command, **more):
    """Runs `command`; its standard output. Raises BuildError with its last words."""
    try:
        done = subprocess.run(command, capture_output=True, timeout=DEADLINE, check=False, **more)
    except subprocess.TimeoutExpired:
        raise BuildError(f"{command[0]}: took longer than {DEADLINE} s") from None
    if done.returncode != 0:
        words = done.stderr.decode(errors="replace")[-2000:]
        raise BuildError(f"{shlex.join(map(str, command))[:300]}: {words}")
    return done.stdout


def digest(data):
    """A name for `data`: what two files have in common if they are the same."""
    return hashlib.sha256(data).hexdigest()[:16]


class Plugin:
    """The plugin of a source: its units as IR, and how it is linked."""

    def __init__(self, source, root, build, folder, clang):
        self.source, self.root, self.build, self.folder = source, root, build, folder
        self.clang = clang
        self.marks = folder / "marks"
        folder.mkdir(parents=True, exist_ok=True)
        self.link, self.units = self._read_build()
        if not self.units:
            raise BuildError(f"plugin {source.plugin}: no unit of it is among {source.files}")
        self._texts = {}

    def _read_build(self):
        """The link's command as words, each archive that has a unit of ours replaced by its
        objects; and those units."""
        entries = json.loads((self.build / "compile_commands.json").read_text())
        targets = run(["ninja", "-C", self.build, "-t", "commands",
                       f"plugins/{self.source.plugin}.so"]).decode().splitlines()
        link = shlex.split(targets[-1])
        link = [word for word in link[link.index("&&") + 1:] if word != "&&"]
        link = link[:link.index(":")] if ":" in link else link
        objects = {}
        for entry in entries:
            words = shlex.split(entry["command"])
            objects[words[words.index("-o") + 1]] = (entry["file"], words)
        words, units = [], []
        for word in link:
            library = pathlib.PurePath(word).stem.removeprefix("lib")
            inside = [name for name in objects if f"/{library}.dir/" in name]
            ours = [name for name in ([word] if word in objects else inside)
                    if self.source.has(self._relative(objects[name][0]))]
            if ours and word.endswith(".a"):
                words += inside
            else:
                words.append(word)
            units += [Unit(self._relative(objects[name][0]), name, tuple(objects[name][1]))
                      for name in ours]
        return words, units

    def _relative(self, path):
        path = pathlib.Path(path)
        return str(path.relative_to(self.root)) if path.is_relative_to(self.root) else str(path)

    def _lower(self, unit):
        """Compiles a unit to IR, unless it is there from the same command and sources."""
        words = [word for word in unit.command[1:]
                 if word not in ("-Werror", "-O3", "-O2", "-O1", "-c", "-g") and
                 not word.startswith("-Wno-")]
        if words[0].endswith(("c++", "cc", "g++", "gcc")):
            words = words[1:]  # behind a launcher such as ccache
        del words[words.index("-o"):words.index("-o") + 2]
        is_cpp = unit.path.endswith(".cpp")
        compiler = self.clang.replace("clang", "clang++") if is_cpp else self.clang
        return run([compiler, *words, "-w", *LIGHTLY, "-o", "-"], cwd=self.build).decode()

    def text(self, unit):
        """The module of `unit`."""
        return ir.Module(self._texts[unit.object], self.root)

    def compile(self, text):
        """The object of a module; bytes."""
        command = [self.clang, *FULLY, "-o", "-"]
        return run(command, input=text.encode())

    def prepare(self, jobs):
        """Builds the unmutated plugin and the one that marks its blocks. Returns, of each unit, the
        number of its first block."""
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            for unit, text in zip(self.units, pool.map(self._lower, self.units)):
                self._texts[unit.object] = text
            self.plain = dict(zip((unit.object for unit in self.units),
                                  pool.map(lambda unit: self.compile(self.text(unit).text()),
                                           self.units)))
            first, blocks = {}, 0
            for unit in self.units:
                module = self.text(unit)
                list(module.instructions(lambda _: False))
                first[unit.object] = blocks
                blocks += module.blocks
            marked = dict(zip((unit.object for unit in self.units), pool.map(
                lambda unit: self.compile(self.text(unit).marked_text(first[unit.object])),
                self.units)))
        for name, data in self.plain.items():
            self._write(name, data)
        self.link_plugin(self.folder / "plain.so", {})
        self._link_marked(marked, blocks)
        return first

    def _link_marked(self, marked, blocks):
        pages = (blocks + PAGE) // PAGE * PAGE
        self.marks.write_bytes(bytes(pages))
        counters = self.folder / "marks.o"
        run([self.clang, "-O1", "-fPIC", "-c", pathlib.Path(__file__).with_name("marks.c"), "-o",
             counters, f'-DMARKS_FILE="{self.marks}"', f"-DMARKS_BYTES={pages}"])
        self.link_plugin(self.folder / "marked.so", marked, [counters])

    def _object(self, name):
        return self.folder / "objects" / name.replace("/", "_")

    def _write(self, name, data):
        self._object(name).parent.mkdir(exist_ok=True)
        self._object(name).write_bytes(data)

    def link_plugin(self, path, changed, more=()):
        """Links the plugin to `path`, with the objects of `changed` in place of the plain ones."""
        temporary = []
        words = []
        for word in self.link:
            if word in changed:
                own = path.with_suffix(f".{len(temporary)}.o")
                own.write_bytes(changed[word])
                temporary.append(own)
                words.append(str(own))
            elif word in self.plain:
                words.append(str(self._object(word)))
            else:
                words.append(word)
        words[words.index("-o") + 1] = str(path)
        try:
            run([*words, *map(str, more)], cwd=self.build)
        finally:
            for own in temporary:
                own.unlink()
