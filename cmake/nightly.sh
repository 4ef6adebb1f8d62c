#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# nightly.sh: checks that take too long for every push and need no other compiler: clang-tidy over
# all sources, the bugs that every suite must catch, tensors beyond 32 bits, hostile plugins, mutants of real kernels (build/mutate), false alarms, the oracle on long problems,
# runs killed a thousand times, the scoreboard, and every count in the documents.
# Builds build/release first. Exits with 0 if all is well.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
cd "$root"
cmake --preset release
cmake --build --preset release
cmake --build build/release --target tidy_all
# The scoreboard with today's results, and what changed since those that are kept: build/scoreboard/*.html.
docs/scoreboard_nightly.sh build/release/bin/concord build/scoreboard
build/release/bin/concord grade --suite full
# What smoke has of full for the bugs of the continuous layer is what would be chosen today. No other bug shares these
# cases, so they can be chosen apart; some of its bugs are found by invalid problems alone.
build/release/bin/concord grade --suite full --family 'cc*' --filter '[ci][on][nv]*' --deadline 60 --choose build/chosen.txt
diff <(grep ^continuous build/chosen.txt) <(grep ^continuous conformance/catalog/chosen.txt)
# Large in memory: one at a time.
build/release/bin/concord run --suite huge --backend optimized --backend faulty:none --jobs 1
build/release/bin/concord grade --suite huge
# The fast oracle on every long problem.
CONCORD_WHOLE=1 build/release/bin/oracle_test --gtest_brief=1
# Tensors of honest libraries: other ones each day.
build/release/bin/concord power --alarms 1000000 --seed "$(date +%Y%j)"
# What hostile plugins try, all of it.
/usr/bin/python3 -B conformance/command/hostile_test.py build/release/bin/concord build/release/bin/hostile_deeds \
    build/release/conformance/command/plugins/hostile_command.so docs/hostile.md
# Runs that are killed and resumed: at other times each day.
/usr/bin/python3 -B conformance/command/kill_test.py build/release/bin/concord 1000 "$(date +%Y%j)"
# Mutants: a seed a day, so that they add up to many.
/usr/bin/python3 -B mutate/mutate.py --source all --count 30 --seed "$(date +%Y%j)" --out "build/mutate/$(date +%Y%j)"
/usr/bin/python3 -B docs/check_docs.py build/release/bin . --slow
