#!/usr/bin/env bash
# Compares `mpirun -n P stkr select ... --engine petsc` with `stkr select ...` on one machine.
# Usage: select_test.sh STKR MPIEXEC folds|split|model|pages|resume|errors
documents=$(cd "$(dirname "$0")" && pwd)/same_document.py
. "$(dirname "$0")/command_testing.sh"

small=(--powers 1,2,4 --etas 0.9,0.99 --dimensions 4,8 --ridges 1,0.1,0.01 --propagation-etas 0.9 --propagation-steps 2,8)

# The documents agree on 1 to 4 processes, and the tables of points on 2.
compare_select() {
  "$stkr" select graph.npz --json "$@" >one.json 2>one.txt || fail "one machine: $*"
  for ranks in 1 2 3 4; do
    engine "$ranks" select graph.npz --json "$@" >many.json 2>many.txt || fail "$ranks processes: $*: $(cat many.txt)"
    "$documents" one.json many.json || fail "$ranks processes differ: $*"
    cmp one.txt many.txt || fail "messages of $ranks processes differ: $*"
  done
}

test_folds() {
  make_graphs
  compare_select "${small[@]}"
  compare_select "${small[@]}" --leave-one-out --class-mass both
  compare_select "${small[@]}" --folds 4 --kernels symmetric,lazy-walk,adjacency --score balanced-accuracy
  compare_select --families power --powers 1,2 --ridges 1,0.1 --kernel adjacency --normalize
  compare_select --families diffusion,poisson --times 1,4 --poisson-etas 0.99,1 --per-class 5 --seed 3 --top 3
}

test_split() {
  make_graphs
  awk 'BEGIN { for (i = 0; i < 900; ++i) print i % 3 }' >truth.txt
  "$stkr" data convert edges.tsv graph.npz --labels truth.txt -q || fail "convert"
  python3 - <<'END' || fail "split"
import random, struct, zipfile
order = random.Random(4).sample(range(900), 900)
with zipfile.ZipFile("split.npz", "w") as file:
    for name, part in {"train": order[:40], "val": order[40:80], "test": order[80:200]}.items():
        head = f"{{'descr': '<i8', 'fortran_order': False, 'shape': ({len(part)},), }}".ljust(117) + "\n"
        data = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode()
        file.writestr(name + ".npy", data + struct.pack(f"<{len(part)}q", *part))
END
  compare_select "${small[@]}" --split split.npz --setting transductive
  compare_select "${small[@]}" --split split.npz --setting transductive --class-mass both
}

test_model() {
  make_graphs
  local choice=("${small[@]}" --kernels symmetric,lazy-walk --leave-one-out)
  "$stkr" select graph.npz -o one.npz -q "${choice[@]}" || fail "one machine"
  "$stkr" predict one.npz -o one.csv -q || fail "predict"
  for ranks in 1 3; do
    engine "$ranks" select graph.npz -o many.npz --plot many.svg -q "${choice[@]}" || fail "$ranks processes"
    "$stkr" predict many.npz -o many.csv -q || fail "predict of $ranks processes"
    same one.csv many.csv || fail "models of $ranks processes differ"
    cmp <(grep -a data_fingerprint one.npz) <(grep -a data_fingerprint many.npz) || fail "other data on $ranks"
    grep -q "<svg" many.svg || fail "no picture"
  done
}

# A page about the choice and its model, and a run that is killed and goes on.
test_pages() {
  make_graphs
  local choice=("${small[@]}" --kernels symmetric,lazy-walk)
  "$stkr" select graph.npz -o one.npz --html one.html -q "${choice[@]}" || fail "one machine"
  for ranks in 1 3; do
    engine "$ranks" select graph.npz -o many.npz --html many.html -q "${choice[@]}" || fail "$ranks processes"
    same <(page_words one.html) <(page_words many.html) || fail "pages of $ranks processes differ"
  done
}

on_three() { engine 3 "$@"; }

# resumes COMMAND...: goes on from a copy of the state, to the scores of a run that was not killed.
resumes() {
  cp before state
  "$@" select graph.npz --json "${long[@]}" >many.json 2>many.txt || fail "$*: $(cat many.txt)"
  grep -q "resuming from state" many.txt || fail "$*: expected to resume: $(cat many.txt)"
  [[ ! -e state ]] || fail "$*: the state stays behind"
  "$documents" one.json many.json || fail "$*: the scores differ"
}

test_resume() {
  make_graphs
  local long=(--powers 1,2,4,8 --etas 0.9,0.99,0.999 --dimensions 4,8,16,32 --ridges 1,0.1,0.01
              --kernels symmetric,lazy-walk,probability,adjacency --checkpoint state)
  "$stkr" select graph.npz --json "${long[@]}" >one.json 2>/dev/null || fail "one machine"
  "$mpiexec" --oversubscribe -n 2 "$stkr" select graph.npz --json "${long[@]}" --engine petsc >out.txt 2>err.txt &
  local job=$!
  for ((k = 0; k < 1500; ++k)); do
    [[ -e state && $(stat -c %s state) -gt 2000 ]] && break
    kill -0 $job 2>/dev/null || break
    sleep 0.02
  done
  kill -KILL "$(pgrep -P $job | tail -1)" 2>/dev/null
  wait $job
  [[ -e state ]] || fail "no state: $(cat err.txt)"
  mv state before
  resumes on_three
  resumes "$stkr"
}

test_errors() {
  make_graphs
  echo before >kept.npz
  expect_code 2 "only 25 samples are labeled" engine 3 select graph.npz -o kept.npz --folds 30
  expect_code 2 "Run 'stkr select --help' for usage." engine 2 select graph.npz -o kept.csv
  expect_code 3 "expected points" engine 2 select graph.npz -o kept.npz --kind points
  expect_once "^stkr: reading: " engine 2 select graph.npz -v --families power --powers 1 --ridges 0.1
  expect_code 2 "one of --split, --folds" engine 2 select graph.npz -o kept.npz --folds 3 --leave-one-out
  expect_code 3 "cannot be opened" engine 2 select graph.npz -o kept.npz --split none.npz --setting transductive
  expect_code 2 "does not support this yet" engine 2 select graph.npz -o kept.npz --split none.npz
  expect_code 5 "memory budget" engine 2 select graph.npz -o kept.npz --memory 100k
}

run_group
