#!/usr/bin/env bash
# Compares fits of points on many processes with those on one machine.
# Usage: points_test.sh STKR MPIEXEC graphs|kernels|select|choice|data|errors
documents=$(cd "$(dirname "$0")" && pwd)/same_document.py
. "$(dirname "$0")/command_testing.sh"

# write_points NAME ROWS FEATURES SEED [APART]: points of three groups, far from the origin in one feature; every tenth is
# equal to another one, and every thirteenth is labeled by its group. NAME-numbers has targets instead.
write_points() {
  python3 - "$@" <<'END' || fail "points"
import random, struct, sys, zipfile
name, rows, features, seed, apart = sys.argv[1], *map(int, [*sys.argv[2:], 3][:4])
draw = random.Random(seed)
X = []
for i in range(rows):
    X.append([draw.gauss(apart * (i % 3) * (-1) ** k, 1) + (100 if k == 2 else 0) for k in range(features)])
    if i % 10 == 9:
        X[i] = list(X[i % 30])
def npy(kind, shape, values):
    head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    data = struct.pack(f"<{len(values)}{'d' if 'f' in kind else 'q'}", *values)
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + data
for suffix, kind, y in [("", "<i8", [i % 3 if i % 13 < 2 else -1 for i in range(rows)]),
                        ("-numbers", "<f8", [sum(x[:2]) if i % 5 == 1 else float("nan") for i, x in enumerate(X)])]:
    with zipfile.ZipFile(f"{name}{suffix}.npz", "w") as file:
        file.writestr("X.npy", npy("<f8", f"({rows}, {features})", [v for x in X for v in x]))
        file.writestr("y.npy", npy(kind, f"({rows},)", y))
END
}

make_points() {
  write_points points 400 3 1
  write_points new 70 3 2
}

# compare INPUT OPTION...: the answers for known and for new samples on 1 to 4 processes are those of one machine.
compare() {
  local input=$1
  shift
  "$stkr" fit "$input" -o one.npz --json "$@" >one.json 2>one.txt || fail "one machine: $*: $(cat one.txt)"
  "$stkr" predict one.npz -o one.csv -q || fail "predict: $*"
  "$stkr" predict one.npz new.npz -o one-new.csv -q || fail "predict new: $*"
  for ranks in 1 2 3 4; do
    engine "$ranks" fit "$input" -o many.npz --json "$@" >many.json 2>many.txt ||
      { fail "$ranks processes: $*: $(cat many.txt)"; continue; }
    "$documents" one.json many.json model kernel || fail "$ranks processes differ: $*"
    cmp one.txt many.txt || fail "messages of $ranks processes differ: $*"
    # The model is an ordinary one.
    "$stkr" predict many.npz -o many.csv -q || fail "predict of $ranks processes: $*"
    same one.csv many.csv || fail "answers of $ranks processes differ: $*"
    "$stkr" predict many.npz new.npz -o many-new.csv -q || fail "predict new of $ranks processes: $*"
    same one-new.csv many-new.csv || fail "new answers of $ranks processes differ: $*"
    cmp <(grep -a data_fingerprint one.npz) <(grep -a data_fingerprint many.npz) || fail "other data on $ranks"
  done
}

test_graphs() {
  make_points
  local knn=(--kernel knn --tolerance 1e-11)
  compare points.npz "${knn[@]}" --transform inverse-laplacian --ridge 0.1
  compare points.npz "${knn[@]}" --neighbors 4 --edge-weight heat --power 3 --ridge 0.01 --class-mass
  compare points.npz "${knn[@]}" --edge-weight cosine --edges mutual --method label-propagation
  compare points.npz "${knn[@]}" --center --power 2 --ridge 0.1
  compare points.npz "${knn[@]}" --transform truncation --d 6 --ridge 0.1
  compare points.npz "${knn[@]}" --transform inverse-laplacian --prior 0.5,0.25,0.25 --ridge 0.1
  compare points.npz "${knn[@]}" --neighbors 3  # transform and ridge from the labels
  # The phases that --verbose lists.
  "$stkr" fit points.npz -o one.npz -v "${knn[@]}" 2>&1 >/dev/null | sed 's/: [0-9.]* s$//' >one.txt
  engine 2 fit points.npz -o many.npz -v "${knn[@]}" 2>&1 >/dev/null | sed 's/: [0-9.]* s$//' >many.txt
  diff one.txt many.txt || fail "phases of two processes differ"
  compare points-numbers.npz "${knn[@]}" --edge-weight binary --transform inverse-laplacian --ridge 0.1
  for ranks in 2 3; do
    engine "$ranks" predict many.npz new.npz -o many-new.csv -q || fail "predict on $ranks"
    same one-new.csv many-new.csv || fail "new answers on $ranks processes differ"
  done
}

test_kernels() {
  make_points
  local fit=(--ridge 0.1 --tolerance 1e-11)
  compare points.npz --kernel rbf --transform inverse-laplacian "${fit[@]}"
  compare points.npz --kernel rbf --no-normalize --length-scale 2x --power 2 "${fit[@]}" --class-mass
  compare points.npz --kernel laplacian --length-scale median --power 2 "${fit[@]}"
  compare points.npz --kernel matern32 --power 1 "${fit[@]}"
  compare points.npz --kernel epsilon-neighbor --length-scale 3 --power 3 "${fit[@]}"
  compare points.npz --kernel polynomial --degree 3 --gamma 0.0001 --power 1 "${fit[@]}"
  compare points.npz --kernel cosine --power 2 "${fit[@]}"
  compare points.npz --kernel rbf --method kernel-pca --d 4
  compare points-numbers.npz --kernel matern52 --method kernel-ridge --ridge 0.1
  compare points-numbers.npz --kernel laplacian --no-normalize --transform diffusion --time 2 "${fit[@]}"
  compare points-numbers.npz --kernel linear --power 1 --ridge 0.1
  compare points.npz --kernel rbf --center --power 2 "${fit[@]}"
  compare points-numbers.npz --kernel linear --center --power 1 --ridge 0.1
  compare points.npz --kernel rbf  # transform and ridge from the labels
}

test_select() {
  make_points
  local grid=(--powers 1,2 --etas 0.9,0.99 --dimensions 4,8 --ridges 1,0.1,0.01)
  compare_select "${grid[@]}" --kernel knn --neighbor-counts 4,8 --leave-one-out
  compare_select "${grid[@]}" --kernels rbf,linear --center --folds 4
  # One kernel, whose gram takes the points.
  compare_select --kernel rbf --families kernel-pca --dimensions 4 --ridges 1,0.1
  compare_select --kernel rbf --families label-propagation --propagation-etas 0.9 --propagation-steps 4
  compare_select "${grid[@]}" --kernels rbf,cosine --length-scales 1x,2x --folds 4 --class-mass both
}

compare_select() {
  "$stkr" select points.npz -o one.npz --json "$@" >one.json 2>one.txt || fail "one machine: $*: $(cat one.txt)"
  "$stkr" predict one.npz new.npz -o one-new.csv -q
  for ranks in 1 2 3 4; do
    engine "$ranks" select points.npz -o many.npz --json "$@" >many.json 2>many.txt ||
      { fail "$ranks processes: $*: $(cat many.txt)"; continue; }
    "$documents" one.json many.json model || fail "$ranks processes differ: $*"
    cmp one.txt many.txt || fail "messages of $ranks processes differ: $*"
    "$stkr" predict many.npz new.npz -o many-new.csv -q
    same one-new.csv many-new.csv || fail "models of $ranks processes differ: $*"
  done
}

# So many points that only neighbor graphs are tried; the labels of one group leave a large component without any.
test_choice() {
  write_points large 5100 3 1
  write_points new 70 3 2
  compare large.npz
  compare large.npz --power 2 --ridge 0.1 --tolerance 1e-11
  awk 'BEGIN { for (i = 0; i < 5100; ++i) print (i < 200 && i % 3 < 2 ? i % 2 : -1) }' >two.txt
  write_points apart 5100 3 1 40
  compare apart.npz --labels two.txt
  grep -q "k doubled" one.json || fail "k was not doubled"
  # A dense kernel for so many.
  write_points dense 20500 2 1
  awk 'BEGIN { for (i = 0; i < 20500; ++i) print (i < 8 ? i % 2 : -1) }' >eight.txt
  expect_once "note: --kernel knn would take" engine 2 fit dense.npz --labels eight.txt -o many.npz --kernel rbf \
    --length-scale 1 --transform inverse-laplacian --eta 0.9999 --ridge 0.1
}

test_data() {
  make_points
  # More processes than some have rows for.
  write_points few 3 3 5
  python3 - <<'END' || fail "few"
import zipfile
with zipfile.ZipFile("few.npz") as old:
    parts = {name: old.read(name) for name in old.namelist()}
parts["y.npy"] = parts["y.npy"][:-24] + b"".join(c.to_bytes(8, "little") for c in (0, 1, 1))
with zipfile.ZipFile("few.npz", "w") as new:
    for name, data in parts.items():
        new.writestr(name, data)
END
  compare few.npz --kernel knn --neighbors 2 --power 2 --ridge 0.1
  # Equal points with other labels, which a warning names, and labels of another file.
  awk 'BEGIN { for (i = 0; i < 400; ++i) print (i % 10 == 9 || i < 40 ? (i + int(i / 30)) % 3 : -1) }' >mixed.txt
  compare points.npz --labels mixed.txt --kernel knn --power 2 --ridge 0.1
  grep -q "different class" one.json || fail "no warning of equal points with different labels"
  compare points.npz --kernel knn --power 2 --ridge 0.1 --per-class 4 --seed 7
  compare points.npz --kernel knn --power 2 --ridge 0.1 --standardize
  compare points.npz --kernel rbf --power 2 --ridge 0.1 --standardize
}

test_errors() {
  make_points
  local fit=(--kernel knn --power 2 --ridge 0.1)
  echo before >kept.npz
  expect_code 2 "name one instead" engine 2 fit points.npz -o kept.npz
  expect_code 2 "name one instead" engine 2 fit points.npz -o kept.npz --power 2 --ridge 0.1
  expect_code 2 "does not support this yet" engine 3 fit points.npz -o kept.npz "${fit[@]}" --recall 0.9
  expect_code 2 "does not support this yet" engine 3 fit points.npz -o kept.npz "${fit[@]}" --principal-components 2
  expect_code 2 "does not support this yet" engine 2 fit points.npz -o kept.npz "${fit[@]}" --precision single
  expect_code 2 "does not support this yet" engine 2 fit points.npz -o kept.npz "${fit[@]}" --measure degree
  expect_code 2 "expected k from 1 to 399" engine 2 fit points.npz -o kept.npz "${fit[@]}" --neighbors 400
  expect_code 5 "memory budget" engine 2 fit points.npz -o kept.npz "${fit[@]}" --memory 10k
  # NaN in the last process, a truncated file, and processes that see different points.
  python3 - <<'END' || fail "broken points"
import struct, zipfile
with zipfile.ZipFile("points.npz") as old:
    parts = {name: old.read(name) for name in old.namelist()}
parts["X.npy"] = parts["X.npy"][:-16] + struct.pack("<2d", float("nan"), 1.0)
with zipfile.ZipFile("nan.npz", "w") as new:
    for name, data in parts.items():
        new.writestr(name, data)
END
  expect_code 3 "row 399, column 1" engine 3 fit nan.npz -o kept.npz "${fit[@]}"
  head -c 5000 points.npz >short.npz
  expect_code 3 "short.npz" engine 3 fit short.npz -o kept.npz "${fit[@]}"
  mkdir a b && cp points.npz a/points && cp new.npz b/points
  differ() {
    "$mpiexec" --quiet --oversubscribe -n 1 -wdir "$folder/a" "$stkr" fit points -o "$folder/kept.npz" "${fit[@]}" \
      --format npz --engine petsc : -n 2 -wdir "$folder/b" "$stkr" fit points -o "$folder/kept.npz" "${fit[@]}" \
      --format npz --engine petsc
  }
  expect_code 3 "give all nodes the same file" differ
}

run_group
