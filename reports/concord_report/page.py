# SPDX-License-Identifier: Apache-2.0
"""The report as one HTML page: no network, no script needed to read it, every foreign text escaped."""

import base64
import datetime
import hashlib
import pathlib

import jinja2
import markupsafe

from concord_report import case_list, headline, history, overview, text, trend_plot, verdict, wrong_map

LONGEST_NAME = 120  # characters of a name in a heading
LONGEST_FINDING = 240  # characters of a cell of the first screen
TEMPLATES = pathlib.Path(__file__).resolve().parent / "templates"


def render(report):
    environment = _environment()
    sections = [(module.NAME, module.TITLE, _section(environment, module.NAME, report, data))
                for module, data in report.sections()]
    script = _verbatim("page.js")
    return environment.get_template("page.html").render(
        report=report, rows=overview.rows(report), sections=sections, title=headline.of(report),
        style=_verbatim("style.css"), script=script,
        script_hash=base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii"))


def render_history(histories, most):
    return _environment().get_template("history.html").render(
        histories=histories, most=most, title=history.headline(histories), style=_verbatim("style.css"))


def render_scoreboard(name, **data):
    """A page of docs/scoreboard.py, in the report's frame."""
    title = data["changes"].headline if "changes" in data else "Scoreboard"
    return _environment().get_template(name).render(title=title, style=_verbatim("style.css"), **data)


def _section(environment, name, report, data):
    template = environment.get_template(f"{name}.html")
    return markupsafe.Markup(template.render(report=report, **data))


def _environment():
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES), autoescape=True, trim_blocks=True,
        lstrip_blocks=True, undefined=jinja2.StrictUndefined, finalize=_finalize)
    environment.filters.update(conclusion=headline.TITLES.get, number=text.number,
                               grouped=text.grouped, margin=text.margin, percent=text.percent,
                               plural=text.plural, day=_day, name=_name,
                               brief=lambda value: text.shortened(value, LONGEST_FINDING))
    environment.globals.update(data_url=_data_url, verdict=verdict, facts=headline.facts,
                               link_to_case=case_list.link_to_case, link_to_cases=case_list.link_to_cases,
                               trends_of=trend_plot.of, picture_of=wrong_map.picture, label_of=wrong_map.label)
    return environment


def _finalize(value):
    """Foreign text is shown with its control characters written out and not without end; our own
    markup is left alone.
    """
    return case_list.shown(value) if type(value) is str else value


def _data_url(value):
    """A file within the page, for a link to download it."""
    packed = base64.b64encode(value.encode("utf-8", "replace")).decode("ascii")
    return markupsafe.Markup("data:text/plain;charset=utf-8;base64," + packed)


def _name(value):
    """A name of a backend or a kind of case: short enough for a heading, broken between words."""
    shown = text.visible(text.shortened(value, LONGEST_NAME))
    return markupsafe.Markup("<wbr>").join(markupsafe.escape(word) for word in text.words(shown))


def _verbatim(name):
    return markupsafe.Markup((TEMPLATES / name).read_text(encoding="utf-8"))


def _day(started):
    """2026-01-31T12:34:56Z -> 31 January 2026, 12:34 UTC; what is no date stays as it is."""
    try:
        moment = datetime.datetime.strptime(started[:19], "%Y-%m-%dT%H:%M:%S")
    except ValueError:
        return started
    return f"{moment.day} {moment:%B %Y, %H:%M} UTC"
