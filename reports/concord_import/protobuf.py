# SPDX-License-Identifier: Apache-2.0
"""Where a serialized protobuf message breaks off: the library that reads it does not say."""

VARINT, EIGHT_BYTES, COUNTED, FOUR_BYTES = 0, 1, 2, 5
FIXED = {EIGHT_BYTES: 8, FOUR_BYTES: 4}


def trouble(data):
    """What is wrong with the outermost fields of a message, with its offset; "" if nothing is."""
    at = 0
    while at < len(data):
        start = at
        key, at = _varint(data, at)
        if at is None:
            return f"byte {start}: the file ends within a field's number, or it is none"
        field, wire = key >> 3, key & 7
        if field == 0 or wire not in (VARINT, COUNTED, *FIXED):
            return f"byte {start}: there is no field {field} of wire type {wire}"
        size = FIXED.get(wire, 0)
        if wire in (VARINT, COUNTED):
            number, at = _varint(data, at)
            if at is None:
                return f"byte {start}: the file ends within field {field}"
            size = number if wire == COUNTED else 0
        if size > len(data) - at:
            return f"byte {start}: field {field} has {size} bytes, but the file has {len(data) - at} left"
        at += size
    return ""


def _varint(data, at):
    """A number and the place behind it; None for the place if there is none."""
    value = 0
    for place in range(10):
        if at + place >= len(data):
            return value, None
        value |= (data[at + place] & 0x7F) << (7 * place)
        if data[at + place] < 0x80:
            return value, at + place + 1
    return value, None
