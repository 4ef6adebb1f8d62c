# SPDX-License-Identifier: Apache-2.0
"""What a backend serves, and what passes alone do not say: as conformance/output/service.cpp does,
for shards that become one run. docs/results.md#conforms"""

from concord_report import case_table, pooled, text, verdict

RESOLUTION = .25
VACUOUS_LIMIT = .25
OPERATIONS = ("Convolution1", "Convolution", "AtrousConv2d", "SpaceToBatch", "BatchToSpace",
              "CntkConvolution", "CntkConvolution2d", "ContinuousConvolution",
              "ContinuousBackwardData", "ContinuousBackwardWeights", "AtrousChain",
              "ContinuousBackwardGrid", "ContinuousBackwardKernel", "ContinuousChain",
              "CntkBackwardData", "CntkBackwardWeights")
DTYPES = tuple(pooled.UNIT_ROUNDOFF)
# The tiers whose passes show no sharpness: any other, and a new one, compares values with their bounds.
_NOT_OF_VALUES = ("special", "shape", "status", "side_effects", "process", None)
_NAMED_OPERATIONS = 3
_FIELDS = ("operation", "dtype", "verdict", "tier", "class", "elements", "resolution")
_STRICT = {"strict", "accumulator=f64"}  # a wider accumulator hides nothing


def of(results, tallied=()):
    """An entry for each operation and dtype that the valid problems have, among listed results and those
    that are only counted."""
    parts = {}
    columns = [case_table.Results.of(results).column(field) for field in _FIELDS]
    for values in zip(*columns):
        result = dict(zip(_FIELDS, values))
        word = result["verdict"]
        refusal = word == verdict.PASS and result["tier"] == "status"
        if word == verdict.HARNESS_ERROR or refusal:
            continue
        key = result["operation"], result["dtype"]
        _add(parts.setdefault(key, _empty(*key)), result)
    for each in tallied:
        _add_tally(parts, each)
    return [parts[key] for key in sorted(parts, key=order)]


def _empty(operation, dtype):
    return {"operation": operation, "dtype": dtype, "judged": 0, "vacuous": 0, "declined": 0, "sharp": 0,
            "resolution": None, "classes": [], "sharp_classes": []}


def order(key):
    """Sorts pairs of operation and dtype as docs/spec.md lists them, unknown ones last."""
    names = (OPERATIONS, DTYPES)
    return [known.index(name) if name in known else len(known) for known, name in zip(names, key)]


def _add_tally(parts, each):
    counts = each["counts"]
    if sum(counts.values()) == each["refused"] + counts[verdict.HARNESS_ERROR]:
        return
    key = each["operation"], each["dtype"]
    part = parts.setdefault(key, _empty(*key))
    part["judged"] += sum(counts[word] for word in verdict.JUDGED) - each["refused"]
    part["vacuous"] += counts[verdict.VACUOUS]
    part["declined"] += counts[verdict.DECLINED]
    part["sharp"] += each["sharp"]
    for field in ("classes", "sharp_classes"):
        part[field] = sorted({*part[field], *each[field]})
    known = [value for value in (part["resolution"], each["resolution"]) if value is not None]
    part["resolution"] = min(known, default=None)


def _add(part, result):
    word = result["verdict"]
    if word == verdict.DECLINED:
        part["declined"] += 1
        return
    part["vacuous"] += word == verdict.VACUOUS
    part["judged"] += word in verdict.JUDGED
    if result["elements"] and result["class"] is not None:
        part["classes"] = sorted({*part["classes"], result["class"]})
    resolution = result["resolution"]
    if (word != verdict.PASS or resolution is None or not result["elements"]
            or result["tier"] in _NOT_OF_VALUES):
        return
    if resolution <= RESOLUTION:
        part["sharp"] += 1
        part["sharp_classes"] = sorted({*part["sharp_classes"], result["class"]})
    known = part["resolution"]
    part["resolution"] = resolution if known is None else min(known, resolution)


def is_served(part):
    return part["judged"] + part["vacuous"] > 0


def why_no_verdict(service, is_part):
    """Why passes alone do not make this conform, or ""."""
    vacuous = sum(part["vacuous"] for part in service)
    served = vacuous + sum(part["judged"] for part in service)
    if vacuous > VACUOUS_LIMIT * served:
        return (f"{text.grouped(vacuous)} of the {text.grouped(served)} cases that it serves could "
                "not have failed")
    for part in service:
        blunt = [each for each in part["classes"] if each not in part["sharp_classes"]]
        if not is_part and is_served(part) and (blunt or not part["sharp"]):
            which = f" as {blunt[0]}" if part["sharp"] else ""
            return (f"no passed case of {part['operation']} in {part['dtype']}{which} would have exposed an "
                    f"error of {100 * RESOLUTION:.0f} %")
    return ""


def why_unknown(complete, counts, service, is_part):
    """Why there is no verdict although nothing failed, or ""."""
    if not complete:
        return "not all cases were run"
    if counts[verdict.HARNESS_ERROR]:
        return "some cases could not be judged"
    return why_no_verdict(service, is_part) or ("" if counts[verdict.PASS] else "nothing was judged")


def classes_text(service):
    """" as accumulator=bf16,flush=yes", " as flush=yes in bf16", or "" where all is strict or f64."""
    by_dtype = {}
    for part in service:
        if part["classes"]:
            by_dtype.setdefault(part["dtype"], set()).update(part["classes"])
    if not by_dtype:
        return ""
    different = {tuple(sorted(classes)) for classes in by_dtype.values()}
    if len(different) == 1:
        classes, = different
        return "" if _STRICT.issuperset(classes) else f" as {' or '.join(classes)}"
    said = [f"{' or '.join(sorted(by_dtype[dtype]))} in {dtype}"
            for dtype in DTYPES if not _STRICT.issuperset(by_dtype.get(dtype, ()))]
    return f" as {', '.join(said)}" if said else ""


def _operations_text(operations):
    if len(operations) > _NAMED_OPERATIONS:
        return f"{len(operations)} operations"
    return ", ".join(operations)


def service_text(service):
    """"Convolution in f32 (836 judged); not served: 9 operations, f16, bf16"."""
    groups, unserved, served = {}, [], set()
    for operation in dict.fromkeys(part["operation"] for part in service):
        dtypes = tuple(part["dtype"] for part in service
                       if part["operation"] == operation and is_served(part))
        if dtypes:
            groups.setdefault(dtypes, []).append(operation)
            served.update(dtypes)
        else:
            unserved.append(operation)
    said = "; ".join(f"{_operations_text(operations)} in {', '.join(dtypes)}"
                     for dtypes, operations in groups.items())
    said += f" ({text.grouped(sum(part['judged'] for part in service))} judged)"
    missing = [_operations_text(unserved)] if unserved else []
    missing += [dtype for dtype in dict.fromkeys(part["dtype"] for part in service)
                if dtype not in served]
    return said + (f"; not served: {', '.join(missing)}" if missing else "")
