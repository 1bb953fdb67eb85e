#!/usr/bin/env bash
# Compares `mpirun -n P stkr ... --engine petsc` with `stkr ...` on one machine.
# Usage: command_test.sh STKR MPIEXEC fit|options|reports|predict|predict_errors|data|errors
documents=$(cd "$(dirname "$0")" && pwd)/same_document.py
. "$(dirname "$0")/command_testing.sh"

compare_fit() {
  "$stkr" fit graph.npz -o one.npz -q "$@" || fail "one machine: $*"
  "$stkr" predict one.npz -o one.csv -q || fail "predict: $*"
  for ranks in 1 2 3 4; do
    engine "$ranks" fit graph.npz -o many.npz -q "$@" || fail "$ranks processes: $*"
    # The model is an ordinary one.
    "$stkr" predict many.npz -o many.csv -q || fail "predict of $ranks processes: $*"
    same one.csv many.csv || fail "$ranks processes differ: $*"
    cmp <(grep -a data_fingerprint one.npz) <(grep -a data_fingerprint many.npz) || fail "other data on $ranks"
  done
}

test_fit() {
  make_graphs
  compare_fit --transform inverse-laplacian --ridge 0.1 --tolerance 1e-11
  compare_fit --kernel symmetric --transform inverse-laplacian --eta 0.9 --beta 1e-3 --tolerance 1e-11
  compare_fit --power 2 --ridge 0.01 --class-mass --tolerance 1e-11
  compare_fit --transform diffusion --time 2 --ridge 0.1 --tolerance 1e-11
  compare_fit --method label-propagation --tolerance 1e-11
  compare_fit --transform poisson --ridge 1 --tolerance 1e-11
  compare_fit --transform learned
  compare_fit  # chosen from the labels
  compare_fit --method kernel-pca --d 8
}

test_options() {
  make_graphs
  local ridge=(--ridge 0.1 --tolerance 1e-11)
  compare_fit --transform truncation --d 8 "${ridge[@]}"
  compare_fit --kernel probability --power 2 "${ridge[@]}"
  compare_fit --kernel adjacency --measure degree --power 1 "${ridge[@]}"
  compare_fit --kernel symmetric --center --power 2 "${ridge[@]}"
  compare_fit --kernel adjacency --normalize --power 2 "${ridge[@]}"
  compare_fit --center --transform inverse-laplacian "${ridge[@]}"
  compare_fit --transform inverse-laplacian --prior 0.5,0.25,0.25 "${ridge[@]}"
  compare_fit --prior uniform
  compare_fit --kernel adjacency
  compare_fit --kernel symmetric --center
  compare_fit --transform inverse-laplacian --eta 0.5 --solver richardson --ridge 1
  # A component that one process has, and the others do not.
  awk 'BEGIN { for (i = 0; i < 19; ++i) print i "\t" i + 1; print "20\t21" }' >edges.tsv
  awk 'BEGIN { for (i = 0; i < 22; ++i) print (i == 3 ? 0 : i == 8 ? 1 : -1) }' >labels.txt
  "$stkr" data convert edges.tsv graph.npz --labels labels.txt -q || fail "convert"
  compare_fit --transform poisson "${ridge[@]}"
  compare_fit
}

# What is written besides the model, and --json: same_reports GRAPH.
same_reports() {
  local fit=(fit "$1" --json --power 2 --ridge 0.1)
  "$stkr" "${fit[@]}" -o one.npz --list-unreached one.csv --plot-transform one.svg --html one.html >one.json 2>one.txt ||
    fail "$1 on one machine: $(cat one.txt)"
  (($(wc -l <one.csv) > 30)) || fail "$1: few samples are not reached"
  for ranks in 1 2 3 4; do
    engine "$ranks" "${fit[@]}" -o many.npz --list-unreached many.csv --plot-transform many.svg --html many.html \
      >many.json 2>many.txt || fail "$1 on $ranks processes: $(cat many.txt)"
    "$documents" one.json many.json model html unreached || fail "$1: documents of $ranks processes differ"
    cmp one.csv many.csv || fail "$1: lists of $ranks processes differ"
    cmp one.svg many.svg || fail "$1: pictures of $ranks processes differ"
    # Pages differ in the command, the time and the last digits.
    same <(page_words one.html) <(page_words many.html) || fail "$1: pages of $ranks processes differ"
  done
}

test_reports() {
  make_graphs
  # Some components have no label.
  awk 'BEGIN { for (i = 900; i < 1000; i += 4) { print i "\t" i + 2; print i + 1 "\t" i + 2 } print 7 "\t" 999 }' >>edges.tsv
  awk 'BEGIN { for (i = 900; i < 1000; ++i) print -1 }' >>labels.txt
  "$stkr" data convert edges.tsv graph.npz --labels labels.txt -q || fail "convert"
  same_reports graph.npz
  # Nodes with names.
  sed 's/[0-9][0-9]*/n&/g' edges.tsv >named.tsv
  awk 'BEGIN { print "node,label" } $1 >= 0 { print "n" NR - 1 "," $1 }' labels.txt >named.csv
  "$stkr" data convert named.tsv named.npz --labels named.csv -q || fail "convert names"
  same_reports named.npz
  grep -q '^[0-9]*,n9' many.csv || fail "the list has no names: $(head -2 many.csv)"
}

test_predict() {
  make_graphs
  "$stkr" fit graph.npz -o model.npz -q --power 2 --ridge 0.1 || fail "fit"
  # Many new nodes, so that every process has several parts of them.
  awk 'BEGIN { srand(5); for (i = 0; i < 30000; ++i) for (k = 0; k < 3; ++k) print i "\t" int(rand() * 900) }' >new.tsv
  for answers in csv npz; do
    "$stkr" predict model.npz new.tsv -o one.$answers -q || fail "predict"
    "$stkr" predict model.npz -o known.$answers -q || fail "predict known"
    for ranks in 1 2 3; do
      engine "$ranks" predict model.npz new.tsv -o many.$answers -q || fail "predict on $ranks"
      cmp one.$answers many.$answers || fail "answers of $ranks processes differ"
      engine "$ranks" predict model.npz -o many.$answers -q || fail "predict known on $ranks"
      cmp known.$answers many.$answers || fail "known answers of $ranks processes differ"
    done
  done
}

# What the first process finds ends all at once, not by the abort after five seconds.
test_predict_errors() {
  make_graphs
  "$stkr" fit graph.npz -o model.npz -q --power 2 --ridge 0.1 --leave-one-out || fail "fit"
  printf 'new\t3\nnew\t7\n' >new.tsv
  cp new.tsv before.tsv
  echo before >kept.npz
  local predict=(engine 2 predict model.npz new.tsv) usage="Run 'stkr predict --help' for usage." began=$SECONDS
  expect_code 2 "$usage" "${predict[@]}"
  expect_code 2 "$usage" engine 2 predict model.npz
  expect_code 2 "$usage" "${predict[@]}" -o kept.npz --only labeled
  expect_code 2 "--coverage" "${predict[@]}" -o kept.npz --coverage 0.999
  expect_code 2 "is also an input" "${predict[@]}" -o new.tsv
  expect_code 5 "memory budget" "${predict[@]}" -o kept.npz --memory 10k
  expect_code 1 "folder" "${predict[@]}" -o no/such/folder/answers.csv
  expect_code 3 "missing.tsv" engine 2 predict model.npz missing.tsv -o kept.npz
  expect_code 2 "standard input: the PETSc engine does not support this" engine 2 predict model.npz - -o kept.npz
  cmp new.tsv before.tsv || fail "the input was touched"
  ((SECONDS - began < 30)) || fail "nine errors took $((SECONDS - began)) s"
}

test_data() {
  make_graphs
  # More processes than some have rows for, and a graph that lists edges in one direction.
  printf '0\t1\n1\t2\n' >small.tsv
  printf '0\n-1\n1\n' >small.txt
  "$stkr" data convert small.tsv small.npz --labels small.txt -q || fail "convert"
  "$stkr" fit small.npz -o one.npz -q --power 2 --ridge 0.1 || fail "small"
  "$stkr" predict one.npz -o one.csv -q
  engine 4 fit small.npz -o many.npz -q --power 2 --ridge 0.1 || fail "small on 4 processes"
  "$stkr" predict many.npz -o many.csv -q
  same one.csv many.csv || fail "small graphs differ"
  # --json prints one document, and --per-class keeps the same labels.
  "$stkr" fit graph.npz -o one.npz --json --per-class 3 --power 2 --ridge 0.1 >one.json 2>/dev/null
  engine 3 fit graph.npz -o many.npz --json --per-class 3 --power 2 --ridge 0.1 >many.json 2>/dev/null
  "$documents" one.json many.json model || fail "--json differs"
  # Also what is said about a choice.
  "$stkr" fit graph.npz -o one.npz --json >one.json 2>/dev/null
  engine 2 fit graph.npz -o many.npz --json >many.json 2>/dev/null
  "$documents" one.json many.json model || fail "--json of a choice differs"
  # Features of nodes, which a kernel of the graph does not use.
  with_features graph.npz features.npz 900
  expect_once "note: .*node features, which are ignored" engine 2 fit features.npz -o many.npz --kernel lazy-walk
  expect_once "^stkr: reading: " engine 2 fit graph.npz -o many.npz -v --power 2 --ridge 0.1
}

test_errors() {
  make_graphs
  local fit=(--transform inverse-laplacian --ridge 0.1)
  echo before >kept.npz
  expect_code 3 "no such file; data sets shipped with stkr: " engine 3 fit missing.npz -o kept.npz
  expect_code 2 "stkr data convert digits digits.npz" engine 3 fit digits -o kept.npz
  expect_code 2 "standard input: the PETSc engine does not support this" engine 2 fit - -o kept.npz
  "$stkr" data convert edges.tsv plain.npz -q
  expect_code 3 "name the labels with --labels: a file, or one of adj_data" engine 2 fit plain.npz -o kept.npz
  # Data of other kinds than --kind says, or than the engine reads.
  "$stkr" data convert graph.npz parts --parts 2 -q
  expect_code 3 "expected points" engine 2 fit graph.npz -o kept.npz --kind points
  expect_code 3 "expected a kernel" engine 2 fit graph.npz -o kept.npz --kind kernel
  expect_code 3 "expected data of kind points" engine 2 fit parts -o kept.npz --kind points
  expect_code 2 "stkr data convert edges.tsv points.npz --kind points" engine 2 fit edges.tsv --labels labels.txt -o kept.npz --kind points
  expect_code 2 "use points or a graph" engine 2 fit edges.tsv --labels labels.txt -o kept.npz --kind kernel
  with_features graph.npz features.npz 900
  expect_code 2 "--kernel lazy-walk" engine 2 fit features.npz -o kept.npz
  "$stkr" data convert features.npz featured --parts 2 -q
  expect_code 2 "--kernel lazy-walk" engine 2 fit featured -o kept.npz
  # Wrong usage that the first process finds.
  local usage="Run 'stkr fit --help' for usage."
  expect_code 2 "$usage" engine 2 fit graph.npz -o kept.csv "${fit[@]}"
  expect_code 2 "$usage" engine 2 fit graph.npz -o graph.npz "${fit[@]}"
  expect_code 2 "$usage" engine 2 fit graph.npz -o kept.npz --list-unreached kept.npz "${fit[@]}"
  expect_code 2 "unexpected arguments: --ranks 2" engine 2 fit graph.npz -o kept.npz --ranks 2 "${fit[@]}"
  expect_once "^Usage" engine 2 fit --help
  # What the parser of options finds is said once, too.
  expect_code 2 "--ridge = much" engine 3 fit graph.npz -o kept.npz --ridge much
  head -c 9000 graph.npz >short.npz
  expect_code 3 "may be truncated" engine 3 fit short.npz -o kept.npz "${fit[@]}"
  expect_code 2 "stkr suggest MODEL" engine 2 fit graph.npz -o kept.npz --suggest 3 "${fit[@]}"
  expect_code 2 "expected a name that ends in .svg" engine 2 fit graph.npz -o kept.npz --plot-transform a.png "${fit[@]}"
  expect_code 1 "folder" engine 3 fit graph.npz -o made.npz --html no/such/folder/page.html "${fit[@]}"
  expect_code 2 "eta" engine 2 fit graph.npz -o kept.npz --transform inverse-laplacian --eta 3 --ridge 0.1
  expect_code 5 "memory budget" engine 2 fit graph.npz -o kept.npz --memory 100k "${fit[@]}"
  expect_code 1 "folder" engine 3 fit graph.npz -o no/such/folder/m.npz "${fit[@]}"
  # The program itself does not link MPI, and says so where the engine is missing.
  mkdir alone && cp "$stkr" alone/stkr
  ldd alone/stkr | grep -qi 'mpi\|petsc' && fail "stkr links MPI"
  expect_code 2 "has no PETSc engine" alone/stkr fit graph.npz -o kept.npz --engine petsc
}

run_group
