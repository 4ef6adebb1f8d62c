# SPDX-License-Identifier: Apache-2.0
"""Numbers and foreign text as a reader should see them."""

import math
import re
import unicodedata


def visible(value):
    """Text with its control and formatting characters written out, so that none can act."""
    value = str(value)
    if value.isprintable():  # most text, and a page has megabytes of it
        return value
    return "".join(
        char if unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Zl", "Zp")
        else char.encode("unicode_escape").decode("ascii") for char in value)


def shortened(value, most):
    """Text of about so many characters, most of its beginning and some of its end among them; a word
    that is not very long is left out rather than cut."""
    if len(value) <= most:
        return value
    last = most // 5
    begin, end = value[:most - last], value[-last:]
    if not value[len(begin)].isspace():
        begin = re.sub(r"\s\S{0,20}$", "", begin)
    if not value[-last - 1].isspace():
        end = re.sub(r"^\S{0,20}\s", "", end)
    left_out = len(value) - len(begin) - len(end)
    return f"{begin} … ({grouped(left_out)} characters more) … {end}"


def words(name):
    """A name's words, where a line may break: ContinuousBackwardData, ./lib/vendor_2.so:fast"""
    return re.split(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[/_:.,=-])(?=[^\W_])", name)


def number(value):
    """A tensor's number: the shortest text that reads back as the same double."""
    if isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value)) if value or math.copysign(1, value) > 0 else "-0"
    return repr(value)


def grouped(value):
    """1234567 -> 1,234,567"""
    return f"{int(value):,}"


def margin(value):
    """A share of what is allowed, with three digits; never rounded from beyond 1 down to it."""
    if value is None:
        return "–"
    text = f"{value:.3g}"
    if value > 1 and float(text) <= 1:
        return "just above 1"
    if value < 1 and float(text) >= 1:
        return "just below 1"
    return text


def percent(value):
    return "–" if value is None else f"{value:.0f} %" if value == 100 or value == 0 else f"{value:.1f} %"


def share(part, whole):
    """99.9 %, in tenths of a percent cut off: 100 % means all."""
    return percent(1000 * part // whole / 10) if whole else "–"


def plural(count, one, many=None):
    return f"{grouped(count)} {one if count == 1 else many or one + 's'}"


def problem_size(problem):
    """Elements of src and weights together: how big a problem is to look at."""
    total = 0
    for dims in re.findall(r"\b(?:src|weights)=([0-9]{1,19}(?:x[0-9]{1,19}){0,7})", problem):
        total += math.prod(int(extent) for extent in dims.split("x"))
    return total


def size_of(result):
    """What results are ordered by, the smallest problem first."""
    problem = result["problem"]
    return problem_size(problem), len(problem), result["case"]


def simplest(results):
    """The results ordered from the smallest problem to the largest."""
    return sorted(results, key=size_of)
