#!/usr/bin/env bash
# Tests the stkr command: exit codes, messages, and atomic output files.
# Usage: command_test.sh PATH_OF_STKR GROUP      runs the checks in command/GROUP.sh
set -uo pipefail
export LC_ALL=C
stkr=$1
group=$2
checks=$(cd "$(dirname "$0")/command" && pwd)/$group.sh
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failures=0

fail() {
  echo "FAILED: $1"
  failures=$((failures + 1))
}

# run CODE ARGUMENTS...: runs stkr, stores its output in out and err, and checks the exit code.
run() {
  local expected=$1 code
  shift
  "$stkr" "$@" >out 2>err
  code=$?
  [[ $code == "$expected" ]] ||
    fail "stkr $* -> exit $code, expected $expected: $(tail -n 3 err)"
  last="stkr $*"
}

# Checks that every extended regular expression matches stderr (says) or stdout (shows).
says() { for each; do grep -qE -- "$each" err || fail "$last: '$each' not in: $(cat err)"; done; }
shows() { for each; do grep -qE -- "$each" out || fail "$last: '$each' not in: $(cat out)"; done; }

same() { cmp -s "$1" "$2" || fail "$1 and $2 differ after: $last"; }
lines() { [[ $(wc -l <"$1") == "$2" ]] || fail "$1 has $(wc -l <"$1") lines, expected $2"; }
# Checks that a folder contains only the given files.
only() { [[ $(ls -A "$1") == "$2" ]] || fail "$1 contains $(ls -A "$1" | tr '\n' ' ')"; }

# Strings become S, other values V; arrays and objects are then folded from the inside out. One
# complete document leaves one V.
is_json() {
  local rest
  rest=$(tr '\n' ' ' <"$1" |
    sed -E 's/"([^"\\]|\\.)*"/S/g
            s/-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?|true|false|null/V/g; s/ //g; :fold
            s/\[((S|V)(,(S|V))*)?\]/V/g; s/\{(S:(S|V)(,S:(S|V))*)?\}/V/g; t fold')
  [[ $rest == V ]] || fail "$last: not one JSON document: ${rest:0:200}"
}

make_moons() { run 0 data make two-moons -o moons.csv --samples 120 --per-class 4; }
make_graph() {
  run 0 data make block-model -o graph.npz --blocks 30,30 --p-in 0.4 --p-out 0.03 --per-class 4
}
make_attributed() {
  run 0 data make block-model -o mixed.npz --blocks 20,20,20,20 --p-in 0.4 --p-out 0.03 \
    --features 3 --noise 0.2 --per-class 4
}

# shellcheck source=/dev/null
source "$checks" || fail "$checks did not run to its end"
((failures == 0)) && echo "$group: all checks passed"
exit $((failures > 0))
