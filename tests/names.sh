#!/usr/bin/env bash
# Checks that the names of kernels and transforms are string literals in three C++ files only.
# Usage: names.sh SOURCE_FOLDER
set -uo pipefail
cd "$1" || exit 1
points=src/kernel/kernel.cpp
graphs=src/gram/gram_names.hpp
transforms=src/transform/transform_names.hpp
failures=0

fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

# names FILE PATTERN: the literals in lines of FILE that match PATTERN.
names() { grep -E -- "$2" "$1" | grep -v '#include' | grep -oE '"[a-z0-9_-]+"' | sort -u; }

# "power" is also an option, "sum" what several things are, and "through" how labels act.
all=$({ names $points '\{KernelKind::'
        names $graphs '"'
        names $transforms '"'; } | sort -u | grep -vE '^"(power|sum|through)"$')
(($(wc -l <<<"$all") >= 21)) || fail "found only these names: $all"

# Not names of kernels or transforms: edge weights, the symmetry of a Matrix Market file, what an argument
# is called, and the functions and dictionaries of the Python module.
others='EdgeWeight::|symmetr|checked_adjacency|def_static|result\["'
while IFS=: read -r file line text; do
  case $file in "$points" | "$graphs" | "$transforms" | *_test.cpp | *_benchmark.cpp) continue ;; esac
  code=${text%%//*}
  grep -qFf <(printf '%s\n' "$all") <<<"$code" || continue
  grep -qE "$others" <<<"$code" && continue
  fail "$file:$line: $text: the name of a kernel or transform; use the one in $points, $graphs or $transforms"
done < <(grep -rnFf <(printf '%s\n' "$all") --include='*.cpp' --include='*.hpp' src include apps python/src)
exit $((failures > 0))
