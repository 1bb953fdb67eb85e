#!/usr/bin/env bash
# Compares `mpirun -n P stkr select ... --engine petsc` with `stkr select ...` on one machine.
# Usage: select_test.sh STKR MPIEXEC folds|split|model|errors
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

test_errors() {
  make_graphs
  echo before >kept.npz
  expect_code 2 "only 25 samples are labeled" engine 3 select graph.npz -o kept.npz --folds 30
  expect_code 2 "one of --split, --folds" engine 2 select graph.npz -o kept.npz --folds 3 --leave-one-out
  expect_code 3 "cannot be opened" engine 2 select graph.npz -o kept.npz --split none.npz --setting transductive
  expect_code 2 "does not support this yet" engine 2 select graph.npz -o kept.npz --split none.npz
  expect_code 2 "does not support this yet" engine 2 select graph.npz -o kept.npz --html page.html
  expect_code 5 "memory budget" engine 2 select graph.npz -o kept.npz --memory 100k
}

run_group
