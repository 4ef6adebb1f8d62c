# SPDX-License-Identifier: Apache-2.0
"""Numbers of a document that a command can give: the marks that check_docs.py describes."""

import re

from doc_text import SPAN

MARK = re.compile(r"(?P<value>[^\s<|`*]+)(?P<end>[`*]*)<!-- check: (?P<slow>slow )?(?P<source>.*?) -->")
ROWS = re.compile(r"<!-- check-(?P<kind>rows|sums): (?P<slow>slow )?(?P<source>.*?) -->")
NUMBER = re.compile(r"\d[\d,]*")
WORDS = ("no one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
         "sixteen seventeen eighteen nineteen twenty").split()


def written_like(old, value):
    """The value in the way in which the old one is written: 2538, 2,538 or twelve."""
    if not value.isdigit():
        return value
    if old.lower() in WORDS and int(value) < len(WORDS):
        word = WORDS[int(value)]
        return word.capitalize() if old[0].isupper() else word
    return f"{int(value):,}" if "," in old or len(NUMBER.sub("", old)) == len(old) else value


class Marks:
    def __init__(self, document, shell, slow):
        self.document, self.shell, self.slow = document, shell, slow
        self.lines = list(document.lines)

    def corrected(self):
        return "\n".join(self.lines)

    def check(self):
        """Complains of each marked number that is not what its command says, and corrects it."""
        complaints = []
        for number, line in self.document.prose():
            for mark in MARK.finditer(line):
                complaints += self._check_value(number, mark)
            if rows := ROWS.search(line):
                complaints += self._check_block(number, rows)
            elif "<!-- check" in SPAN.sub("", line) and not MARK.search(line):
                complaints.append(f"{self.document.name}:{number}: a mark that cannot be read")
        return complaints

    def _skip(self, mark):
        if mark["slow"] and not self.slow:
            self.shell.not_run[mark["source"]] = "slow: a whole suite; --slow runs it"
        return mark["slow"] and not self.slow

    def _value(self, mark):
        source, _, form = mark["source"].partition(" as ")
        command, _, pattern = source.partition(" =~ ")
        output = self.shell.output(command)
        if not pattern:
            found = [str(len(output.splitlines()))]
        elif match := re.search(pattern, output, re.MULTILINE):
            found = match.groups() or [match[0]]
        else:
            raise ValueError(f"nothing in the output of {command!r} matches {pattern!r}")
        return form.format(*found) if form else found[0]

    def _check_value(self, number, mark):
        if self._skip(mark):
            return
        try:
            value = self._value(mark)
        except ValueError as error:
            yield f"{self.document.name}:{number}: {error}"
            return
        old = mark["value"]
        lead = re.match(r"[(\[]*", old)[0]
        bare = old[len(lead):]
        if bare.replace(",", "") in (value, value.replace(",", "")) or written_like(bare, value) == bare:
            return
        yield f"{self.document.name}:{number}: {bare} is {value}: {mark['source']}"
        whole = mark[0]
        self._replace(number, whole, whole.replace(old, lead + written_like(bare, value), 1))

    def _replace(self, number, old, new):
        self.lines[number - 1] = self.lines[number - 1].replace(old, new, 1)

    def _block(self, number):
        """The places of the lines of the table or code block that follows line `number`."""
        places = range(number, len(self.lines))
        begin = next((i for i in places if self.lines[i].startswith("|") or self.document.code[i]), None)
        if begin is None:
            return []
        table = self.lines[begin].startswith("|")
        block = []
        for i in range(begin, len(self.lines)):
            if not (self.lines[i].startswith("|") if table else self.document.code[i]):
                break
            block.append(i)
        return block

    def _check_block(self, number, rows):
        if self._skip(rows):
            return
        block = self._block(number)
        if not block:
            yield f"{self.document.name}:{number}: no table or code block follows"
        try:
            output = self.shell.output(rows["source"])
        except ValueError as error:
            yield f"{self.document.name}:{number}: {error}"
            return
        if rows["kind"] == "sums":
            yield from self._check_sums(block, len(output.splitlines()))
        elif output.lstrip().startswith("|"):
            yield from self._check_table(block, output, rows["source"])
        else:
            yield from self._check_rows(block, output, rows["source"])

    def _check_sums(self, block, wanted):
        for place in block:
            numbers = [int(word.replace(",", "")) for word in self.lines[place].split()
                       if NUMBER.fullmatch(word)]
            if len(numbers) > 2 and sum(numbers) != wanted:
                yield (f"{self.document.name}:{place + 1}: the numbers add up to {sum(numbers):,}, "
                       f"not {wanted:,}")

    def _check_table(self, block, output, source):
        """A table that the command prints as it stands; of several, that with the same head."""
        shown = [self.lines[place] for place in block]
        printed = [table.splitlines() for table in re.findall(r"(?:^\|.*\n?)+", output, re.MULTILINE)]
        wanted = next((table for table in printed if table[0] == shown[0]), printed[0])
        for place, old, new in zip(block, shown, wanted):
            if old != new:
                yield f"{self.document.name}:{place + 1}: differs from {source}: {new}"
                self.lines[place] = new
        if len(shown) != len(wanted):
            yield f"{self.document.name}:{block[0] + 1}: has {len(shown)} rows, {source} prints {len(wanted)}"
            self.lines[block[0]:block[-1] + 1] = wanted

    def _check_rows(self, block, output, source):
        """Rows whose first word begins a line of the output, and then have that line's numbers."""
        printed = {}  # of several lines that begin with a word, the one with most numbers
        for line in output.splitlines():
            words = [word.strip("`:,;") for word in line.split()]
            numbers = [word for word in words[1:] if NUMBER.fullmatch(word)]
            if numbers and len(numbers) > len(printed.get(words[0], [])):
                printed[words[0]] = numbers
        for place in block:
            line = self.lines[place]
            first = re.match(r"[|\s`]*([^\s|`]+)", line)
            numbers = printed.get(first[1].strip(":"), []) if first else []
            spots = [m for m in re.finditer(r"(?<=[|\s])\d[\d,]*(?=[|\s,;]|$)", line)]
            for spot, wanted in reversed(list(zip(spots, numbers))):
                old = spot[0].rstrip(",")
                if old.replace(",", "") == wanted.replace(",", ""):
                    continue
                yield f"{self.document.name}:{place + 1}: {old} is {wanted}: {source}"
                new = wanted if "," in line or "|" not in line else wanted.replace(",", "")
                begin = spot.start()
                if "|" not in line:  # columns stay where they are
                    new = new.rjust(len(old))
                    if len(new) > len(old) and line[begin - (len(new) - len(old)):begin].isspace():
                        begin -= len(new) - len(old)
                line = line[:begin] + new + line[spot.start() + len(old):]
            self.lines[place] = line
