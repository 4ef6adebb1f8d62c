# SPDX-License-Identifier: Apache-2.0
"""What changed between two scoreboards: backends, versions, what is served, defects, bits, speed."""

import scoreboard_view as view

FACTS = (("version", "version"), ("conforms", "conforms"), ("suite", "judged on"), ("date", "date"))


class Change:
    """Of a backend on a kind of processor: `rows` are (what, old, new), `note` a sentence or ""."""

    def __init__(self, old, new, speeds):
        self.library, self.old, self.new = new or old, old, new
        self.said = "" if old and new else "new" if new else "gone"
        self.note, self.rows = "", []
        if self.said:
            none = {"rows": []}
            self.rows = list(_defects(old or none, new or none, True))
            return
        same_cases = view.judged_on(old) == view.judged_on(new)
        self.rows = list(_facts(old, new)) + list(_services(old, new, same_cases)) + list(_defects(old, new, same_cases)) + list(_bits(old, new))
        self.rows += list(_speeds(*speeds))
        if not same_cases:
            self.note = "Judged on other cases: counts are left out of what differs, except those of defects that came or went."

    def __bool__(self):
        return bool(self.said or self.rows)


class Changes:
    """All that changed; `old` and `new` are boards."""

    def __init__(self, old, new):
        self.old, self.new = old, new
        before, after = ({(each["backend"], each["processor"]): each for each in board.libraries} for board in (old, new))
        self.compared = len(before.keys() | after.keys())
        every = [Change(before.get(key), after.get(key), [dict(_speeds_of(board, side.get(key))) for board, side in ((old, before), (new, after))])
                 for key in sorted(before.keys() | after.keys())]
        self.changes = [change for change in every if change]

    @property
    def headline(self):
        if not self.changes:
            return "Nothing changed on the scoreboard"
        return f"{len(self.changes)} of {self.compared} {'entry' if self.compared == 1 else 'entries'} of the scoreboard changed"


def _facts(old, new):
    for field, what in FACTS:
        values = [view.judged_on(each) if field == "suite" else view.headline.COLUMN.get(each[field], each[field]) for each in (old, new)]
        if values[0] != values[1]:
            yield what, *values


def _services(old, new, same_cases):
    """Operations and dtypes that came or went; with the same cases also how many are served."""
    rows = [{(row["operation"], row["dtype"]): row for row in library["rows"]} for library in (old, new)]
    for key in sorted(rows[0].keys() | rows[1].keys(), key=view.service.order):
        before, after = (each.get(key) for each in rows)
        said = " in ".join(key)
        if before is None or after is None:
            yield f"{said}: served", *("no" if row is None else f"{row['judged']:,}" for row in (before, after))
            continue
        if same_cases:
            for field, what in (("judged", "served"), ("declined", "declined")):
                if before[field] != after[field]:
                    yield f"{said}: {what}", f"{before[field]:,}", f"{after[field]:,}"
        if before["classes"] != after["classes"]:
            yield f"{said}: class", ", ".join(before["classes"]), ", ".join(after["classes"])


def _defects(old, new, same_cases):
    counts = [view.failures_of(each) for each in (old, new)]
    for name in sorted(counts[0].keys() | counts[1].keys()):
        before, after = (each[name] for each in counts)
        if before != after and (same_cases or not before or not after):
            said = "failed, not explained" if name == view.NOT_EXPLAINED else f"failed by {view.finding(name).title}"
            yield said, *(f"{count:,}" if count else "none" for count in (before, after))


def _bits(old, new):
    """By dtype, as they are of all operations of one."""
    bits = [{row["dtype"]: row["bits"] for row in each["rows"] if row["bits"] is not None} for each in (old, new)]
    for dtype in sorted(bits[0].keys() & bits[1].keys(), key=lambda dtype: view.service.order(("", dtype))):
        before, after = (each[dtype] for each in bits)
        if before != after:
            yield f"bits in {dtype}", f"{before:.1f}", f"{after:.1f}"


def _speeds_of(board, library):
    if library is not None:
        for speed, ratio in view.speeds_of(board, library):
            yield speed["setting"], f"{ratio['speed']:.2f}"


def _speeds(old, new):
    for setting in sorted(old.keys() | new.keys()):
        if old.get(setting) != new.get(setting):
            yield f"speed ({setting})", old.get(setting, "not measured"), new.get(setting, "not measured")


def markdown(changes, base):
    lines = ["<!-- SPDX-License-Identifier: Apache-2.0 -->", f"# {changes.headline}", "",
             f"From {changes.old.said} to {changes.new.said}. [The scoreboard]({base}scoreboard.md) explains the words.", ""]
    for change in changes.changes:
        each = change.library
        lines += [f"## {each['backend']}, {each['processor']}{': ' if change.said else ''}{change.said}", ""]
        if change.said:
            lines += [f"{each['name']} {each['version']}: {view.facts(each)}", ""]
        lines += [change.note, ""] if change.note else []
        if change.rows:
            lines += ["| what | old | new |", "|---|---|---|", *(f"| {what} | {old} | {new} |" for what, old, new in change.rows), ""]
    return "\n".join(lines)
