# SPDX-License-Identifier: Apache-2.0
"""Made-up results, the same on every machine: as many cases and backends as a test asks for.

python3 -m tests.sample NUMBER_OF_CASES FILE   writes one with five backends, to look at.
"""

import json
import random
import sys

from concord_report import case_table, digest, pooled, service, verdict

NO_DIGEST = 64 * "0"
OPERATIONS = ("Convolution", "Convolution1", "AtrousConv2d")
DTYPES = ("f32", "f16", "bf16")
FILLS = ("integers", "impulse", "ramp", "uniform", "wide")
FAMILIES = ("resnet50", "mobilenet_v2", "unet", "boundary", "groups")
TIERS = {"integers": "exact", "impulse": "exact", "ramp": "exact", "uniform": "interval",
         "wide": "statistical"}


def case(number, seed=1, **changes):
    """One result that passed; `changes` replaces fields."""
    dice = random.Random(f"{seed} {number}")
    operation = OPERATIONS[number % 3]
    dtype, fill = DTYPES[number // 3 % 3], FILLS[number // 9 % 5]
    family = FAMILIES[number // 45 % 5]
    traits, extents = ["2d"], [dice.randrange(1, 12) for _ in range(4)]
    for trait, share in (("grouped", .25), ("dilated", .3), ("strided", .4),
                         ("asymmetric_pads", .2), ("same_upper", .15), ("bias", .5)):
        if dice.random() < share:
            traits.append(trait)
    traits += ["NXC" if dice.random() < .5 else "NCX", "XIO" if dice.random() < .5 else "OIX"]
    shape = "x".join(map(str, extents))
    case_id = f"{family}/case{number}/{dtype}/{fill}"
    margin = 0 if TIERS[fill] == "exact" else round(dice.betavariate(2, 6), 6)
    return {
        "case": case_id, "problem": " ".join([f"{operation} {dtype} src={shape} weights=3x2x{extents[3]}x6",
                                              *(f"{trait}=yes" for trait in traits[1:-2])]), "operation": operation, "dtype": dtype,
        "fill": fill, "seed": case_table.case_seed(seed, case_id), "origin": f"{family}, layer {number}",
        "note": "", "traits": traits, "verdict": verdict.PASS, "tier": TIERS[fill], "reason": "",
        "class": f"{dtype} inputs, f32 sums", "lowered": None, "adapter_part": "", "implementation": "",
        "elements": 7 * extents[0], "wrong": 0, "margin": margin, "resolution": 2 ** -20, "failure": None,
        "errors": None if TIERS[fill] == "exact" else errors(7 * extents[0], 9 * extents[1], dice),
        "replay": f"concord replay --backend sample --case '{case_id}' --seed {seed}",
        "milliseconds": round(dice.random() * 9, 3), **changes}


def errors(elements, products, dice):
    """Sums over a tensor of about 25 effective bits."""
    return {"products": products, "elements": elements, "squares": .02 * elements,
            "by_scale": elements * 2 ** -50, "biased": elements, "growth": dice.gauss(0, 1),
            "drift": dice.gauss(0, 1), "channels": dice.gauss(0, 1), "channel_squares": 1.0,
            "growth_squares": 1.0, "shared": 0}


def statistics_of(cases):
    return pooled.pools([pooled.of_tensor(r["dtype"], r["class"], r["errors"]) for r in cases
                         if r["verdict"] == verdict.PASS and r["errors"] is not None])


def where(dims=(1, 2, 4, 5), counts=((3,), (0, 3), (0, 1, 2, 0), (0, 0, 0, 3, 0)), axes=(2, 3),
          picture=("00000", "00050", "00090", "00000"), borders=((1, 1), (0, 2))):
    """Three wrong elements, in the second channel."""
    return {"dims": [*dims], "counts": [[*each] for each in counts], "axes": [*axes], "borders": [[*each] for each in borders],
            "picture": [*picture]}


def failed(result, got=12.0, want=10.0, allowed=0, **changes):
    """The same case, failed in one element."""
    return {**result, "verdict": verdict.FAIL, "wrong": 3, "margin": None,
            "reason": "3 elements are not what the specification allows",
            "failure": {"element": [0, 1, 2, 3], "got": got, "want": want, "allowed": allowed,
                        "lowest": want - allowed, "highest": want + allowed,
                        "accepted": f"from {want - allowed} to {want + allowed}", "where": where()},
            **changes}


def became(result, word, reason, **changes):
    """The same case with another verdict, without an answer to judge."""
    return {**result, "verdict": word, "reason": reason, "tier": None, "margin": None,
            "resolution": None, "elements": 0, "class": None, **changes}


def backend(spec, cases, **changes):
    counts = verdict.count(cases)
    broken = sum(counts[word] for word in verdict.BROKEN)
    statistics = statistics_of(cases)
    broken += sum(not pool["passed"] for pool in statistics)
    conforms = "no" if broken else "yes" if verdict.may_conform(counts) else "unknown"
    name, _, config = spec.partition(":")
    return {"backend": spec, "name": name, "version": "1.2.3", "path": f"plugins/{name}.so",
            "config": config, "sandbox": {"level": "namespaces+seccomp", "lack": None}, "files": [{"path": f"/plugins/{name}.so", "sha256": f"{len(name):064x}"}],
            "libraries": [{"path": "/lib/libm.so.6", "sha256": f"{7:064x}"}], "shipped": [],
            "class": None, "error": None, "conforms": conforms,
            "headline": f"{spec}: {conforms}",
            "service": service.of(cases), "covering": None, "counts": counts, "lowered": sum(r["lowered"] is not None for r in cases), "would_conform": [], "diagnosis": None, "shrunk": [], "statistics": statistics, "tallied": [],
            "brief": case_table.empty_brief(), "results": cases, **changes}


def shrunk(of, **changes):
    """A failure of case `of` made small."""
    return {"case": of, "trials": 24, "exhausted": False, "limit": "", "tried": "alone it failed 8 times",
            "smallest": {
        "problem": "Convolution f32 src=1x2x1 weights=2x1x1 groups=2 data_format=NCX "
                   "weights_format=OIX", "data": "src=0,1;weights=0,1", "fill": "recorded",
        "seed": "7", "verdict": verdict.FAIL, "tier": "exact", "reason": "1 of 2 elements are wrong",
        "failure": {"element": [0, 1, 0], "got": 0, "want": 1, "allowed": 0, "lowest": 1,
                    "highest": 1, "accepted": "1 alone, which every order of summation gives",
                    "where": where([1, 2, 1], [[1], [0, 1], [1]], [1, 2], ["0", "9"], [[0, 0], [0, 0]])},
        "traits": ["grouped", "NCX", "OIX"], "after": [], "warmed": False,
        "attempts": 1, "taps": ["weights[1,0,0] = 1 x src[0,1,0] = 1; the backend: x src[0,0,0] = 0"],
        "program": "", "source": {"name": "mine_a.c", "text": "int main(void) { return 1; }\n"},
        "replay": "concord replay --data 'src=0,1;weights=0,1'", **changes}}


def diagnosis(**changes):
    return {"sentence": "fails whenever groups > 1: 2 of 2; never otherwise: 0 of 7",
            "conditions": ["groups > 1"], "covered": 2, "covered_failed": 2, "others": 7,
            "others_failed": 0, **changes}


def neighbour(**changes):
    return {"class": "flush=yes", "dtype": None,
            "sentence": "would conform as flush=yes: 12 of 12 failures pass under it", "failures": 12,
            "tried": 12, "passed": 12, "others": 0, "others_passed": 0, **changes}


def document(*backends, **run):
    cases = max((len(b["results"]) for b in backends), default=0)
    return {"schema": "concord-results-2", "concord": {"version": "0.1.0", "build": "0123abcd", "build_id": "4567ef", "compiler": "gcc 12.2.0"},
            "run": {"suite": "smoke", "seed": 1, "reading": None, "threads": 2, "jobs": 1, "lower": False,
                    "operations": [], "dtypes": [], "filter": None, "shard": "1/1", "started": "2026-01-31T12:34:56Z",
                    "seconds": 12.5, "command": ["concord", "run", "--suite", "smoke"],
                    "complete": True, "cases": cases, "cases_sha256": f"{cases:064x}", "narrowed": False, "remarks": [], "covering": None,
                    "machine": {"cpu": "A processor at 3 GHz", "features": ["avx2", "fma"], "cores": 8, "system": "Linux 6.1"},
                    **run},
            "cases": case_table.empty_table(), "backends": list(backends),
            "digest": {"concord": NO_DIGEST, "run": NO_DIGEST, "cases": NO_DIGEST, "backends": [NO_DIGEST] * len(backends)}}


def text(content):
    """The text of a file that holds a document: with its digest, if it has the parts."""
    try:
        content = digest.sealed(content)
    except (KeyError, TypeError, ValueError):
        pass
    return json.dumps(content)


def rich(number):
    """Five backends: one conforms, one declines much, one has a planted pattern, one crashes and
    breaks promises, one could not be loaded.
    """
    cases = [case(i) for i in range(number)]
    good = [{**r, "implementation": "brgemm:avx2"} for r in cases]
    modest = [became(r, verdict.DECLINED, f"{r['dtype']} is not served",
                     adapter_part="auto_pad, layout of weights") if r["dtype"] != "f32" else
              became(r, verdict.DECLINED, "no groups") if "grouped" in r["traits"] else
              {**r, "adapter_part": "auto_pad, layout of weights"} for r in cases]
    planted = [failed(r, got="nan" if r["fill"] == "wide" else 12.5, margin=None)
               if {"grouped", "NXC"} <= set(r["traits"]) else r for r in cases]
    rough = []
    for i, r in enumerate(cases):
        if {"dilated", "asymmetric_pads"} <= set(r["traits"]):
            rough.append(became(r, verdict.CRASH, "SIGSEGV in execute: read 4 bytes past src",
                                tier="process"))
        elif r["dtype"] == "bf16" and r["fill"] == "uniform":
            rough.append(failed(r, 1.0078125, 1.0, 0.0039, margin=2.0031, tier="interval"))
        elif i % 97 == 5:
            rough.append(became(r, verdict.HANG, "no answer within 10 s", tier="process"))
        elif i % 131 == 7:
            rough.append(became(r, verdict.CLAIM_BROKEN, "prepare: out of registers"))
        elif i % 211 == 9:
            rough.append(became(r, verdict.VACUOUS, "zeros would have passed"))
        elif i % 251 == 3:
            rough.append(became(r, verdict.HARNESS_ERROR, "cannot make shared memory"))
        else:
            rough.append(r)
    missing = backend("./libvendor.so", [], error="./libvendor.so cannot be loaded: no such file",
                      headline="./libvendor.so: could not be loaded")
    return document(backend("onednn", good), backend("eigen", modest),
                    backend("faulty:group_swap", planted, diagnosis=diagnosis(),
                            shrunk=[shrunk(cases[0]["case"])]), backend("rough", rough), missing)


def in_brief(document):
    """The same with all that can be in the tables of brief results, as concord run writes it."""
    backends = document["backends"]
    told = {}
    for result in (r for backend in backends for r in backend["results"]):
        told.setdefault(result["case"], result)
    seed = document["run"]["seed"]
    table = case_table.joined_table((r["case"], r["problem"], r["traits"], r["fill"])
                                    for r in told.values() if r["case"].endswith(f"/{r['dtype']}/{r['fill']}"))
    cases = case_table.CaseTable(table, seed)

    def brief(result):
        return (result["case"] in cases.numbers and result["seed"] == case_table.case_seed(seed, result["case"])
                and result["verdict"] in (verdict.PASS, verdict.DECLINED) and result["lowered"] is None)

    return dict(document, cases=table, backends=[dict(
        backend, results=[r for r in backend["results"] if not brief(r)],
        brief=case_table.brief_of([(cases.numbers[r["case"]], r) for r in backend["results"] if brief(r)]))
        for backend in backends])


if __name__ == "__main__":
    with open(sys.argv[2], "w", encoding="utf-8") as out:
        out.write(text(rich(int(sys.argv[1]))))
