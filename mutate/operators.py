# SPDX-License-Identifier: Apache-2.0
"""The mutation operators: each takes an instruction of LLVM IR and gives what to write instead.

`mutations(text)` lists all mutations of an instruction. An instruction that keeps its value keeps its
name, since unnamed values are numbered in order.
"""

import re
from typing import NamedTuple

INTEGER = re.compile(r"i(8|16|32|64)$")
FLOATS = {"half": "i16", "bfloat": "i16", "float": "i32", "double": "i64"}
BINARY = re.compile(r"  (?P<name>%\S+) = (?P<op>add|sub|mul|sdiv|udiv|srem|urem|shl|lshr|ashr|and|or|"
                    r"xor|fadd|fsub|fmul|fdiv) (?P<flags>(?:\w+ )*?)(?P<type>i\d+|half|bfloat|float|"
                    r"double|<\d+ x \w+>) (?P<a>[^,]+|<[^>]+>), (?P<b>.+?)$")
COMPARE = re.compile(r"  (?P<name>%\S+) = (?P<op>icmp|fcmp) (?P<flags>(?:(?:fast|nnan|ninf|nsz) )*)"
                     r"(?P<predicate>\w+) (?P<type>i\d+|half|float|double|[^,<]+\*|<\d+ x \w+>) "
                     r"(?P<a>[^,<]+|<[^>]+>), (?P<b>.+?)$")
STORE = re.compile(r"  store (?P<volatile>volatile )?(?P<type>.+?) (?P<value>\S+), .+\* \S+, align \d+")
GEP = re.compile(r"  (?P<name>%\S+) = getelementptr (?P<inbounds>inbounds )?(?P<head>.+), "
                 r"(?P<type>i\d+) (?P<index>%?-?[\w.]+)$")
CALL = re.compile(r"  (?P<name>%\S+ = )?(?P<tail>tail |musttail |notail )?call (?P<result>[^@(]+?)"
                  r"(?P<callee>@[\w.$\"]+)\((?P<arguments>.*)\)(?P<rest>[^()]*)$")
ARGUMENT = re.compile(r"(?P<type>i\d+|half|float|double)(?P<words>(?: \w+)*?) (?P<value>%?-?[\w.+]+)$")
SELECT = re.compile(r"  (?P<name>%\S+) = select (?P<flags>(?:\w+ )*?)(?P<condition>i1 \S+|<\d+ x i1> \S+), "
                    r"(?P<ta>[^,<]+?|<\d+ x \w+>) (?P<a>[^ ,]+), (?P<tb>[^,<]+?|<\d+ x \w+>) (?P<b>[^ ,]+)$")
PHI = re.compile(r"  (?P<name>%\S+) = phi (?P<type>i8|i16|i32|i64) (?P<list>\[.*\])$")
TRUNC = re.compile(r"  (?P<name>%\S+) = fptrunc (?P<from>.+?) (?P<value>%\S+) to (?P<to>.+?)$")
RETURN = re.compile(r"  ret (?P<type>i8|i16|i32|i64) (?P<value>-?\d+)$")
BRANCH = re.compile(r"  br i1 (?P<condition>%\S+), label (?P<yes>%\S+), label (?P<no>[^ ,]+)(?P<rest>.*)$")

BOUNDARY = {"slt": "sle", "sle": "slt", "sgt": "sge", "sge": "sgt", "ult": "ule", "ule": "ult",
            "ugt": "uge", "uge": "ugt", "olt": "ole", "ole": "olt", "ogt": "oge", "oge": "ogt"}
NEGATED = {"eq": "ne", "ne": "eq", "slt": "sge", "sge": "slt", "sgt": "sle", "sle": "sgt",
           "ult": "uge", "uge": "ult", "ugt": "ule", "ule": "ugt", "oeq": "une", "une": "oeq",
           "olt": "uge", "ogt": "ule", "ole": "ugt", "oge": "ult"}
SIGNED = {"slt": "ult", "sle": "ule", "sgt": "ugt", "sge": "uge"}
ROUNDED = {"floor": "ceil", "ceil": "floor", "rint": "trunc", "nearbyint": "trunc", "round": "rint",
           "trunc": "rint", "lrint": "lround", "llrint": "llround"}
KINDS = ("constant", "boundary", "negate", "bound", "store", "dropped", "exchange", "index",
         "rounding", "call")
# Notes for the compiler, and what the language needs: destructors, exceptions, memory.
NO_CALLS = re.compile(r"@(llvm\.(?!mem|fma|floor|ceil|rint|nearbyint|round|trunc|x86)|__cxa|_ZSt|_Zdl|_Zda|"
                      r"_ZNSt|__clang)|@_ZN\S*D[012]Ev$")


class Mutation(NamedTuple):
    """`lines` in place of an instruction; `kind` is one of KINDS, `what` says it in words."""
    kind: str
    what: str
    lines: tuple


def mutations(text):
    """All mutations of one instruction, printed without its debug location."""
    text, metadata = _split_metadata(text)
    found = []
    for operator in OPERATORS:
        for kind, what, lines in operator(text):
            lines = [lines] if isinstance(lines, str) else list(lines)
            if lines:
                lines[-1] += metadata
            found.append(Mutation(kind, what, tuple(lines)))
    return found


def _split_metadata(text):
    """", !tbaa !5" and its like at the end, apart; not !range, which a mutant may leave."""
    at = re.search(r"(, ![\w.]+ !\d+)+$", text)
    if not at:
        return text, ""
    return text[:at.start()], re.sub(r", !(range|nonnull|prof) !\d+", "", at.group(0))


def _stepped(number):
    return [(str(int(number) + step), f"{number} -> {int(number) + step}") for step in (1, -1)]


def _is_number(text):
    return re.fullmatch(r"-?\d+", text) is not None


def binary_constants(text):
    """x + 3 -> x + 4, x + 2."""
    match = BINARY.match(text)
    if not match or not INTEGER.match(match["type"]):
        return
    for side in ("a", "b"):
        if not _is_number(match[side]):
            continue
        width = int(match["type"][1:])
        for value, what in _stepped(match[side]):
            if match["op"] in ("shl", "lshr", "ashr") and not 0 <= int(value) < width:
                continue
            if match["op"].endswith(("div", "rem")) and side == "b" and value == "0":
                continue
            operands = {"a": match["a"], "b": match["b"], side: value}
            yield ("constant", f"{match['op']}: {what}",
                   f"  {match['name']} = {match['op']} {match['type']} {operands['a']}, {operands['b']}")


def compare_constants(text):
    """x < 3 -> x < 4, x < 2."""
    match = COMPARE.match(text)
    if not match or match["op"] != "icmp" or not INTEGER.match(match["type"]):
        return
    for value, what in _stepped(match["b"]) if _is_number(match["b"]) else ():
        yield ("constant", f"icmp {match['predicate']}: {what}",
               f"  {match['name']} = icmp {match['predicate']} {match['type']} {match['a']}, {value}")


def other_constants(text):
    """Constants that are stored, returned, passed, or the value of a phi: a loop's beginning."""
    if match := STORE.match(text):
        if INTEGER.match(match["type"]) and _is_number(match["value"]):
            for value, what in _stepped(match["value"]):
                yield ("constant", f"store: {what}",
                       f"{text[:match.start('value')]}{value}{text[match.end('value'):]}")
    if match := RETURN.match(text):
        for value, what in _stepped(match["value"]):
            yield "constant", f"return: {what}", f"  ret {match['type']} {value}"
    if match := PHI.match(text):
        for one in re.finditer(r"\[ (-?\d+), ", match["list"]):
            for value, what in _stepped(one.group(1)):
                begin, end = (match.start("list") + at for at in one.span(1))
                yield "constant", f"phi: {what}", text[:begin] + value + text[end:]
    for argument, begin, end in _arguments(text):
        part = ARGUMENT.match(argument)
        if part and INTEGER.match(part["type"]) and _is_number(part["value"]):
            for value, what in _stepped(part["value"]):
                yield ("constant", f"argument: {what}",
                       text[:begin] + argument[:part.start("value")] + value + text[end:])


def comparisons(text):
    """x < y -> x <= y; -> not x < y; signed -> unsigned."""
    match = COMPARE.match(text)
    if not match:
        return
    old, begin, end = match["predicate"], match.start("predicate"), match.end("predicate")
    for kind, table in (("boundary", BOUNDARY), ("negate", NEGATED), ("boundary", SIGNED)):
        if old in table and not (match["op"] == "fcmp" and table is SIGNED):
            yield kind, f"{match['op']}: {old} -> {table[old]}", text[:begin] + table[old] + text[end:]


def branches(text):
    """if (c) -> if (!c), where c is no comparison that `comparisons` negates."""
    match = BRANCH.match(text)
    if match:
        yield ("negate", "branches swapped",
               f"  br i1 {match['condition']}, label {match['no']}, label {match['yes']}")


def bounds(text):
    """i < n -> i < n + 1, i < n - 1."""
    match = COMPARE.match(text)
    if not match or match["op"] != "icmp" or not INTEGER.match(match["type"]):
        return
    if not match["b"].startswith("%"):
        return
    name, type_ = match["name"], match["type"]
    for step in (1, -1):
        moved = f"%mutated.{name[1:]}"
        yield ("bound", f"icmp {match['predicate']}: bound {step:+d}",
               (f"  {moved} = add {type_} {match['b']}, {step}",
                f"  {name} = icmp {match['predicate']} {type_} {match['a']}, {moved}"))


def stores(text):
    """A store that does not happen."""
    if match := STORE.match(text):
        if not match["volatile"]:
            yield "store", "store dropped", ()


def _value(name, type_, value):
    return f"  {name} = select i1 true, {type_} {value}, {type_} {value}"


def dropped(text):
    """a + b -> a; b: dropped additions, subtractions, multiplications; of a fused one, either part."""
    match = BINARY.match(text)
    if match and match["op"] not in ("and", "or", "xor") and match["type"] != "i1":
        for side in ("a", "b"):
            if side == "b" and match["op"] not in ("add", "mul", "fadd", "fmul"):
                continue
            if match[side].startswith("%"):
                yield ("dropped", f"{match['op']}: only operand {'ab'.index(side) + 1}",
                       _value(match["name"], match["type"], match[side]))
    if "@llvm.fma." in text:
        arguments = [one for one, _, _ in _arguments(text)]
        name = text.split(" = ")[0].strip()
        type_, addend = _typed(arguments[2])
        yield "dropped", "fma: only the addend", _value(name, type_, addend)
        if arguments[2].split()[-1].startswith("%"):
            yield ("dropped", "fma: without the addend",
                   f"  {name} = fmul {type_} {_typed(arguments[0])[1]}, {_typed(arguments[1])[1]}")


def _typed(argument):
    """The type and the value of an argument: "<16 x float> noundef %3"."""
    match = re.match(r"(<\d+ x \w+>|\w+) (?:[a-z]\w* )*(.+)$", argument)
    return match.group(1), match.group(2)


def exchanged(text):
    """a - b -> b - a; c ? a : b -> c ? b : a; f(a, b) -> f(b, a)."""
    match = BINARY.match(text)
    if match and match["op"] in ("sub", "sdiv", "udiv", "srem", "urem", "fsub", "fdiv"):
        yield ("exchange", f"{match['op']}: operands exchanged",
               f"  {match['name']} = {match['op']} {match['type']} {match['b']}, {match['a']}")
    match = SELECT.match(text)
    if match and match["ta"] == match["tb"] and match["a"] != match["b"]:
        yield ("exchange", "select: values exchanged",
               f"  {match['name']} = select {match['condition']}, {match['tb']} {match['b']}, "
               f"{match['ta']} {match['a']}")
    if CALL.match(text) and not NO_CALLS.search(CALL.match(text)["callee"]):
        arguments = _arguments(text)
        for (first, begin, _), (second, _, end) in zip(arguments, arguments[1:]):
            same_type = first.split(" ")[0] == second.split(" ")[0] and not first.startswith("<")
            if same_type and "@llvm." not in text and first.split()[-1] != second.split()[-1]:
                yield ("exchange", f"call: arguments exchanged, {first.split()[-1]} and "
                                   f"{second.split()[-1]}",
                       text[:begin] + second + ", " + first + text[end:])


def indices(text):
    """p[i] -> p[i + 1], p[i - 1]; not a field of a struct."""
    match = GEP.match(text)
    if not match or match["type"] not in ("i64", "i32"):
        return
    head, type_, index = match["head"], match["type"], match["index"]
    # "T, T* %p" steps over whole elements; "[N x T], [N x T]* %p, i64 0" over those of an array.
    is_array = re.match(r"\[\d+ x ", head) is not None
    is_simple = not re.search(r", i(32|64) ", head)
    if not is_simple and not (is_array and len(re.findall(r", i(?:32|64) ", head)) == 1):
        return
    if _is_number(index):
        for value, what in _stepped(index):
            yield "index", f"index: {what}", f"  {match['name']} = getelementptr {head}, {type_} {value}"
        return
    moved = f"%mutated.{match['name'][1:]}"
    for step in (1, -1):
        yield ("index", f"index {step:+d}",
               (f"  {moved} = add {type_} {index}, {step}",
                f"  {match['name']} = getelementptr {head}, {type_} {moved}"))


def roundings(text):
    """Another function of rounding; a conversion to a narrower type that clears the last bit; the
    quotient of integers rounded up."""
    for old, new in ROUNDED.items():
        if f"@llvm.{old}.f" in text:
            yield "rounding", f"{old} -> {new}", text.replace(f"@llvm.{old}.", f"@llvm.{new}.")
    match = TRUNC.match(text)
    if match and match["to"] in FLOATS:
        yield from _cleared_bit(match["name"], match["to"],
                                f"fptrunc {match['from']} {match['value']} to {match['to']}")
    match = BINARY.match(text)
    if match and match["op"] in ("sdiv", "udiv") and INTEGER.match(match["type"]):
        moved = f"%mutated.{match['name'][1:]}"
        for step in (1, -1):
            yield ("rounding", f"{match['op']}: dividend {step:+d}",
                   (f"  {moved} = add {match['type']} {match['a']}, {step}",
                    f"  {match['name']} = {match['op']} {match['type']} {moved}, {match['b']}"))
    if match and match["op"] in ("lshr", "ashr"):
        other = "ashr" if match["op"] == "lshr" else "lshr"
        yield ("rounding", f"{match['op']} -> {other}",
               f"  {match['name']} = {other} {match['type']} {match['a']}, {match['b']}")


def _cleared_bit(name, type_, instruction):
    bits, base = FLOATS[type_], name[1:]
    yield ("rounding", "last bit cleared",
           (f"  %mutated.{base}.value = {instruction}",
            f"  %mutated.{base}.bits = bitcast {type_} %mutated.{base}.value to {bits}",
            f"  %mutated.{base}.even = and {bits} %mutated.{base}.bits, -2",
            f"  {name} = bitcast {bits} %mutated.{base}.even to {type_}"))


def calls(text):
    """A call without a result that does not happen: memset, memcpy, a function of ours."""
    match = CALL.match(text)
    if not match or match["name"] or match["tail"] == "musttail " or match["result"].split()[-1] != "void":
        return
    if not NO_CALLS.search(match["callee"]):
        yield "call", f"call of {match['callee'][1:40]} dropped", ()


def _arguments(text):
    """The arguments of a call with their places in the text: [(argument, begin, end)]."""
    match = CALL.match(text)
    if not match or NO_CALLS.search(match["callee"]):
        return []
    found, depth, begin = [], 0, match.start("arguments")
    for at in range(begin, match.end("arguments") + 1):
        letter = text[at] if at < match.end("arguments") else ","
        if letter in "([{<":
            depth += 1
        elif letter in ")]}>":
            depth -= 1
        elif letter == "," and (depth == 0 or at == match.end("arguments")):
            argument = text[begin:at]
            lead = len(argument) - len(argument.lstrip())
            if argument.strip():
                found.append((argument.strip(), begin + lead, at))
            begin = at + 1
    return found


OPERATORS = (binary_constants, compare_constants, other_constants, comparisons, branches, bounds,
             stores, dropped, exchanged, indices, roundings, calls)
