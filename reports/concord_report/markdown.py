# SPDX-License-Identifier: Apache-2.0
"""The report as Markdown, short enough for a pull request."""

import re

from concord_report import headline, text, verdict

SHOWN_GROUPS = 5  # of failures, for each backend
SHOWN_BACKENDS = 4  # with the same verdict on a case
SHOWN_REASONS = 5  # of declined cases, for each backend


def escape(value):
    """Foreign text that Markdown and the HTML in it leave alone, on one line."""
    return re.sub(r"([\\`*_\[\]<>|&~])", r"\\\1", text.visible(value)).replace(
        "\\<", "&lt;").replace("\\>", "&gt;").replace("\\&", "&amp;")


def code(value, cell=False):
    """Foreign text as a code span, fenced by more backticks than it has in a row."""
    shown = text.visible(value)
    fence = "`" * (1 + max(map(len, re.findall("`+", shown)), default=0))
    pad = " " if shown.startswith("`") or shown.endswith("`") else ""
    span = f"{fence}{pad}{shown}{pad}{fence}"
    return span.replace("|", "\\|") if cell else span


def render(report):
    lines = [f"## {escape(headline.of(report))}", "",
             " · ".join(escape(fact) for fact in headline.facts(report)), ""]
    lines += [f"> **{escape(sentence)}**" for sentence in report.notices()] + [""]
    lines += _verdicts(report)
    if report.known is not None:
        lines += _known(report.known)
    sections = {module.NAME: data for module, data in report.sections()}
    if "smallest" in sections:
        lines += _smallest(sections["smallest"]["backends"])
    if "failures" in sections:
        lines += _failures(sections["failures"]["backends"])
    if "worker_failures" in sections:
        lines += _worker_failures(sections["worker_failures"]["backends"])
    if "declined" in sections:
        lines += _declined(sections["declined"]["backends"])
    if "differences" in sections:
        lines += _differences(**sections["differences"])
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip() + "\n"


def _verdicts(report):
    words = [word for word in verdict.WORDS
             if word in (verdict.PASS, verdict.FAIL, verdict.DECLINED)
             or any(tally[word] for tally in report.tallies.values())]
    lines = ["| Backend | Conforms | " + " | ".join(verdict.NAMES[word] for word in words)
             + " | passed of judged |", "|---|---|" + "---:|" * (len(words) + 1)]
    for backend in report.backends:
        tally = report.tallies[backend.label]
        cells = [code(backend.label, cell=True), headline.COLUMN[backend.conforms]]
        cells += [text.grouped(tally[word]) for word in words] + [text.percent(tally.percent)]
        lines.append("| " + " | ".join(cells) + " |")
    return lines + [""]


def _known(known):
    lines = ["### Known failures", ""]
    lines += [f"- **{code(backend.label)}: {text.plural(len(cases), 'failure')} not known**, such as {code(cases[0])}"
              for backend, cases in known.new if cases]
    for outcome in known.outcomes:
        said = f"{text.plural(len(outcome.failed), 'failure')}"
        if outcome.passed:
            said += f", {text.plural(len(outcome.passed), 'unexpected pass', 'unexpected passes')} such as {code(outcome.passed[0])}"
        until = f"{'expired on' if outcome.expired else 'until'} {outcome.entry.expires}"
        lines.append(f"- {code(outcome.backend.label)} {code(outcome.entry.case)}: {said}; {until}: {escape(outcome.entry.reason)}")
    for entry in known.unused:
        on = f" on a processor with {code(entry.processor)}" if entry.processor else ""
        past = f"; expired on {entry.expires}" if entry in known.expired else ""
        lines.append(f"- no case matches {code(entry.case)} of {code(entry.backend)}{on}{past}")
    return lines + [""]


def _smallest(backends):
    lines = []
    for backend, diagnosis, shrunk in backends:
        lines += [f"### {code(backend.label)}: what fails", ""]
        if diagnosis:
            lines += [f"- **{escape(diagnosis['sentence'])}**"]
        lines += [f"- {escape(neighbour['sentence'])}"
                  for neighbour in backend.data["would_conform"]]
        for case in (s["smallest"] for s in shrunk if s["smallest"]):
            lines += [f"- smallest: {code(case['problem'])} with {code(case['data'])}: "
                      f"{escape(case['reason'])}"]
            lines += [f"  - {code(tap)}" for tap in case["taps"]]
        lines.append("")
    return lines


def _failures(backends):
    lines = []
    for backend, count, groups in backends:
        lines += [f"### {code(backend.label)}: {text.plural(count, 'failure')}", ""]
        for group in groups[:SHOWN_GROUPS]:
            first = group.cases[0]
            lines += ["", f"**{escape(group.operation)}, {group.tier} tier"
                      f"{', ' + escape(group.trait) if group.trait else ''}**: "
                      f"{text.plural(len(group.cases), 'failure')}; the smallest:", "",
                      f"- {code(first['problem'])}"]
            if first["reason"]:
                lines.append(f"- {escape(first['reason'])}")
            if first["failure"]:
                wrong = first["failure"]
                lines.append(f"- element {wrong['element']}: got {text.number(wrong['got'])}, want "
                             f"{text.number(wrong['want'])}, accepted {escape(wrong['accepted'])}")
            if first["replay"]:
                lines.append(f"- {code(first['replay'])}")
        rest = groups[SHOWN_GROUPS:]
        if rest:
            lines += ["", f"and {text.plural(sum(g.size for g in rest), 'more failure')} in "
                      f"{text.plural(len(rest), 'more group')}."]
        lines.append("")
    return lines


def _worker_failures(backends):
    lines = ["### Crashes and other failures of workers", ""]
    for backend, kinds in backends:
        for word, cases in kinds:
            first = cases[0]
            lines.append(f"- {code(backend.label)}: {text.plural(len(cases), 'case')} "
                         f"{verdict.NAMES[word]}, such as {code(first['problem'])}: "
                         f"{escape(first['reason'])}")
    return lines + [""]


def _declined(backends):
    lines = ["### Declined", ""]
    for backend, count, reasons, rows in backends:
        shown = "; ".join(f"{escape(reason)} ({text.grouped(cases)})"
                          for reason, cases, _ in rows[:SHOWN_REASONS])
        left = reasons - min(reasons, SHOWN_REASONS, len(rows))
        more = f"; and {text.plural(left, 'more reason')}" if left > 0 else ""
        lines.append(f"- {code(backend.label)}: {text.plural(count, 'case')}: {shown}{more}")
    return lines + [""]


def _differences(columns, outcomes, compared, differing, agreeing):
    lines = ["### Where backends differ", "",
             f"{text.plural(compared, 'case')} compared: {text.grouped(agreeing)} with the same "
             f"verdict everywhere, {text.grouped(differing)} not.", ""]
    conflicts = [outcome for outcome in outcomes if outcome.conflict]
    for outcome in conflicts[:SHOWN_GROUPS]:
        lines.append(f"- {text.plural(outcome.size, 'case')}: {_ways(columns, outcome)}; such as "
                     f"{code(outcome.cases[0][0])}")
    rest = sum(outcome.size for outcome in conflicts[SHOWN_GROUPS:])
    if rest:
        lines.append(f"- and {text.plural(rest, 'more case')} that some pass and others do not")
    return lines + [""]


def _ways(columns, outcome):
    """passed: `a`, `b` and 3 more; failed: `c`"""
    ways = []
    for word, backends in outcome.backends_by_verdict(columns):
        named = ", ".join(code(backend.label) for backend in backends[:SHOWN_BACKENDS])
        more = len(backends) - SHOWN_BACKENDS
        ways.append(f"{verdict.NAMES[word] if word else 'not run'}: {named}"
                    + (f" and {more} more" if more > 0 else ""))
    return "; ".join(ways)
