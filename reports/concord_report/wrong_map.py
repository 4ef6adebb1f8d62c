# SPDX-License-Identifier: Apache-2.0
"""Where the wrong elements of a failure lie in dst: in words by axis, and as a picture in a page."""

import markupsafe

CELL = 14  # pixels


def fault(where):
    """What of it does not fit together, if anything: the schema knows each field alone."""
    dims, axes, picture = where["dims"], where["axes"], where["picture"]
    if len(set(axes)) < len(axes) or max(axes) >= len(dims):
        return f"axes are {axes}, and dst has {len(dims)}"
    if len(where["borders"]) != len(axes):
        return f"there are {len(where['borders'])} borders for {len(axes)} axes"
    if len(where["counts"]) != len(dims):
        return f"there are counts of {len(where['counts'])} axes, and dst has {len(dims)}"
    if len(set(map(len, picture))) > 1 or (len(picture) > 1 and len(axes) == 1):
        return "the rows of the picture have different lengths, or there is no axis for them"
    return None


def words(where):
    """What can be said of each axis where not every part has wrong elements: "axis 3: indices 0–1 of 0–16"."""
    said = []
    for axis, (extent, counts) in enumerate(zip(where["dims"], where["counts"])):
        if counts and 0 in counts and any(counts):
            found = ", ".join(_ranges(extent, counts))
            said.append(f"axis {axis}: {'index' if found.isdecimal() else 'indices'} {found} of 0–{extent - 1}")
    return "; ".join(said) or "along every axis"


def _ranges(extent, counts):
    parts = len(counts)
    part = 0
    while part < parts:
        if not counts[part]:
            part += 1
            continue
        end = part
        while end + 1 < parts and counts[end + 1]:
            end += 1
        first, last = _begin(part, extent, parts), _begin(end + 1, extent, parts) - 1
        yield str(first) if first == last else f"{first}–{last}"
        part = end + 1


def _begin(part, extent, parts):
    """The first index of a part: index i belongs to part i * parts / extent."""
    return -(-part * extent // parts)


def lines(where):
    """[x1, y1, x2, y2] in cells of the picture: where windows begin to reach into the padding."""
    high, wide = ([1] + [where["dims"][axis] for axis in where["axes"]])[-2:]
    of_rows, of_columns = ([[0, 0]] + where["borders"])[-2:]
    rows, columns = len(where["picture"]), len(where["picture"][0])
    return ([[x, 0, x, rows] for x in _places(of_columns, wide, columns)]
            + [[0, y, columns, y] for y in _places(of_rows, high, rows)])


def _places(border, extent, parts):
    begin, end = border
    return [round(at * parts / extent, 2) for at, there in ((begin, begin), (extent - end, end))
            if there and extent]


def label(where):
    axes = where["axes"]
    named = f"rows are axis {axes[0]}, columns axis {axes[1]}" if len(axes) == 2 else f"columns are axis {axes[0]}"
    return f"Wrong elements of dst ({'x'.join(map(str, where['dims']))}): {words(where)}. In the picture, {named}."


def picture(where):
    """The share of wrong elements as a grid in SVG, with the borders of the padding."""
    rows, columns = len(where["picture"]), len(where["picture"][0])
    paths = {}  # one for each shade: a page has hundreds of pictures
    for row, line in enumerate(where["picture"]):
        for column, digit in enumerate(line):
            paths[digit] = f"{paths.get(digit, '')}M{column} {row}h1v1h-1z"
    cells = [markupsafe.Markup('<path class="heat{}" d="{}"/>').format(*path) for path in sorted(paths.items())]
    borders = [markupsafe.Markup('<line x1="{}" y1="{}" x2="{}" y2="{}"/>').format(*line) for line in lines(where)]
    return markupsafe.Markup('<svg class="map" role="img" aria-label="{}" width="{}" height="{}" viewBox="0 0 {} {}">{}{}</svg>'
                             ).format(label(where), columns * CELL, rows * CELL, columns, rows,
                                      markupsafe.Markup("").join(cells), markupsafe.Markup("").join(borders))
