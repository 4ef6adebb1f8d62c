# SPDX-License-Identifier: Apache-2.0
"""A comparison of two runs in words: plain for a terminal, or as Markdown."""

from concord_report import markdown, text, verdict


class Plain:
    """Foreign text for a terminal."""

    bullet = "  "

    @staticmethod
    def title(value):
        return [value, "-" * len(value)]

    code = prose = staticmethod(text.visible)


class Markdown:
    bullet = "- "

    @staticmethod
    def title(value):
        return [f"### {value}", ""]

    code = staticmethod(markdown.code)
    prose = staticmethod(markdown.escape)


def render(comparison, most, style):
    lines = []
    for pair in comparison.pairs:
        lines += _pair(pair, most, style) + [""]
    for backends, where in ((comparison.only_old, "old"), (comparison.only_new, "new")):
        lines += [f"{style.code(b.label)}: only in the {where} file" for b in backends]
    lines.append(_sum(comparison))
    return "\n".join(lines).strip() + "\n"


def _pair(pair, most, style):
    names = style.code(pair.old.label)
    if pair.new.label != pair.old.label:
        names += f" -> {style.code(pair.new.label)}"
    versions = [backend.data["version"] for backend in (pair.old, pair.new)]
    if versions[0] != versions[1]:
        names += f" ({style.prose(versions[0])} -> {style.prose(versions[1])})"
    lines = style.title(names)
    builds = [[file["sha256"] for file in backend.data["files"]] for backend in (pair.old, pair.new)]
    if builds[0] != builds[1]:
        lines.append("A different build of the backend: the SHA-256 of its files differs.")
    lines.append(f"{text.plural(pair.compared, 'case')} compared: {text.grouped(len(pair.worse))} "
                 f"worse, {text.grouped(len(pair.better))} better, "
                 f"{text.grouped(len(pair.other))} changed in another way")
    for title, changes in (("Worse", pair.worse), ("Better", pair.better),
                           ("Changed in another way", pair.other)):
        lines += _list(title, changes, most, style, lambda c: _change(c, style))
    lines += _list("Passed before, missing in the new file", pair.gone, most, style,
                   lambda r: style.code(r["case"]))
    failing = [r for r in pair.added if r["verdict"] in verdict.BROKEN]
    if pair.added:
        lines += ["", f"{text.plural(len(pair.added), 'case')} only in the new file, "
                  f"{text.grouped(len(failing))} of them failing"]
    lines += _list("Larger margins", pair.margins, most, style,
                   lambda c: f"{text.margin(c.old['margin'])} -> {text.margin(c.new['margin'])}  "
                             f"{style.code(c.new['case'])}")
    for title, switches in (("Judged by a different class", pair.classes),
                            ("Different kernel", pair.kernels)):
        ordered = sorted(switches.items(), key=lambda item: (-item[1], item[0]))
        lines += _list(title, ordered, most, style, lambda item: _switch(item, style),
                       sum(switches.values()))
    return lines


def _list(title, entries, most, style, describe, total=None):
    if not entries:
        return []
    lines = ["", f"{title} ({text.grouped(total if total is not None else len(entries))}):", ""]
    lines += [style.bullet + describe(entry) for entry in entries[:most]]
    if len(entries) > most:
        lines.append(f"{style.bullet}and {text.grouped(len(entries) - most)} more")
    return lines


def _change(change, style):
    before, after = change.verdicts
    reason = f": {style.prose(change.new['reason'])}" if change.new["reason"] else ""
    return f"{before} -> {after}  {style.code(change.new['case'])}{reason}"


def _switch(item, style):
    (old, new), count = item
    return (f"{text.plural(count, 'case')}: {style.code(old) if old else '(none)'} -> "
            f"{style.code(new) if new else '(none)'}")


def _sum(comparison):
    pairs = comparison.pairs
    gone = sum(len(pair.gone) for pair in pairs)
    missing = f", {text.grouped(gone)} passed before and are missing" if gone else ""
    if comparison.only_old:
        missing += f", {text.plural(len(comparison.only_old), 'backend')} missing"
    return (f"{text.plural(comparison.compared, 'case')} compared: "
            f"{text.grouped(sum(len(p.worse) for p in pairs))} worse, "
            f"{text.grouped(sum(len(p.better) for p in pairs))} better{missing}")
