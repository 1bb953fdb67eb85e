#!/usr/bin/env bash
# Compares `stkr graph` on many processes with one machine, and fits of graphs whose nodes have names.
# Usage: graph_test.sh STKR MPIEXEC same|names|memory|errors
documents=$(cd "$(dirname "$0")" && pwd)/same_document.py
. "$(dirname "$0")/command_testing.sh"

# Points around three centers, some of them equal.
make_points() {
  awk 'BEGIN { srand(4); print "a,b,c,label"; for (i = 0; i < 700; ++i) { k = i % 3
         printf "%.6f,%.6f,%.6f,%s\n", k + rand(), 2 * k + rand(), rand(), i % 29 == 4 ? "class" k : ""
         if (i % 100 == 7) print "0.5,0.5,0.5," } }' >points.csv
  "$stkr" data convert points.csv points.npz --labels label -q || fail "convert"
}

compare_graph() {
  "$stkr" graph points.npz -o one.npz --json "$@" >one.json || fail "one machine: $*"
  for ranks in 1 2 3 4; do
    engine "$ranks" graph points.npz -o many.npz --json "$@" >many.json || fail "$ranks processes: $*"
    cmp one.npz many.npz || fail "the graph of $ranks processes differs: $*"
    "$documents" one.json many.json || fail "the documents of $ranks processes differ: $*"
  done
}

test_same() {
  make_points
  compare_graph
  compare_graph -k 3 --edges mutual --edge-weight binary
  compare_graph -k 20 --edge-weight heat
  compare_graph -k 5 --edge-weight heat --length-scale 0.2
  compare_graph -k 5 --edge-weight cosine
  compare_graph -k 4 --labels labels --task classification
  # The report in words, and more processes than some have points for.
  "$stkr" graph points.npz -o many.npz -k 3 >one.txt
  engine 2 graph points.npz -o many.npz -k 3 >many.txt
  diff <(grep -vE 'neighbors|memory' one.txt) <(grep -vE 'neighbors|memory' many.txt) || fail "reports differ"
  for phase in reading neighbors; do
    expect_once "^stkr: $phase: " engine 2 graph points.npz -o many.npz -k 3 -v
  done
  head -n 4 points.csv >few.csv
  "$stkr" data convert few.csv points.npz --labels label -q && compare_graph -k 2
}

# Names of nodes are in the model, and label files refer to them.
test_names() {
  awk 'BEGIN { srand(3); for (k = 0; k < 2000; ++k) { i = int(rand() * 400); j = int(rand() * 100) * 4 + i % 4
         if (i != j) print "node" i "\tnode" j } }' >edges.tsv
  awk 'BEGIN { print "node,label"; for (i = 0; i < 400; i += 9) print "node" i "," i % 4 }' >labels.csv
  "$stkr" data convert edges.tsv named.npz --labels labels.csv -q || fail "convert"
  "$stkr" data convert edges.tsv plain.npz -q && "$stkr" data convert named.npz parts --parts 3 -q || fail "convert"
  local fit=(--transform inverse-laplacian --ridge 0.1 --tolerance 1e-11)
  "$stkr" fit named.npz -o one.npz --json "${fit[@]}" >one.json && "$stkr" predict one.npz -o one.csv -q || fail "fit"
  grep -q node17 one.csv || fail "no names: $(head -n 3 one.csv)"
  printf 'new\tnode3\nnew\tnode7\n' >new.tsv
  "$stkr" predict one.npz new.tsv -o new.csv -q || fail "predict"
  for ranks in 1 2 3 4; do
    engine "$ranks" fit named.npz -o many.npz --json "${fit[@]}" >many.json || fail "$ranks processes"
    grep -q '"id_column": "node"' many.json || fail "$ranks processes: the document does not say what names are"
    "$stkr" predict many.npz -o many.csv -q && same one.csv many.csv || fail "$ranks processes: answers"
    "$stkr" predict many.npz new.tsv -o more.csv -q && same new.csv more.csv || fail "$ranks processes: new nodes"
    engine "$ranks" fit parts -o many.npz -q "${fit[@]}" && "$stkr" predict many.npz -o many.csv -q || fail "parts"
    same one.csv many.csv || fail "$ranks processes: answers of parts"
    engine "$ranks" fit plain.npz --labels labels.csv -o many.npz -q "${fit[@]}" || fail "labels by name"
    "$stkr" predict many.npz -o many.csv -q && same one.csv many.csv || fail "$ranks processes: labels by name"
  done
  engine 3 select named.npz -o many.npz -q --families inverse-laplacian --folds 3 || fail "select"
  "$stkr" predict many.npz -o many.csv -q && grep -q node17 many.csv || fail "no names after select"
  engine 2 plan named.npz --json >many.json 2>/dev/null && engine 2 fit named.npz -o many.npz --json >one.json
  [[ $(number expected_bytes many.json) == "$(number planned_bytes one.json)" ]] ||
    fail "the plan of names is another one"
}

# Points that are large enough for their memory to be seen.
test_memory() {
  awk 'BEGIN { srand(4); for (i = 0; i < 20000; ++i) { for (k = 0; k < 64; ++k) printf "%d,", rand() * 1000
         print i % 9 } }' >points.csv
  "$stkr" data convert points.csv points.npz -q || fail "convert"
  for ranks in 1 2 4; do
    engine "$ranks" graph points.npz -o many.npz --json --threads 1 >many.json || fail "$ranks processes"
    awk -v plan="$(number planned_bytes many.json)" -v peak="$(number peak_bytes many.json)" \
      'BEGIN { exit !(plan >= peak && plan < 1.5 * peak) }' ||
      fail "$ranks processes: planned $(number planned_bytes many.json), measured $(number peak_bytes many.json)"
  done
}

test_errors() {
  make_points
  make_graphs
  echo before >kept.npz
  expect_code 2 "the search is exact" engine 2 graph points.npz -o kept.npz --recall 0.9
  expect_code 2 "in all features" engine 2 graph points.npz -o kept.npz --principal-components 2
  expect_code 2 "write .npz" engine 2 graph points.npz -o graph.mtx
  expect_code 2 "write .npz" engine 2 graph points.npz -o graph.tsv
  expect_code 2 "not from files of format" engine 2 graph points.csv --labels label -o kept.npz
  expect_code 2 "--length-scale" engine 2 graph points.npz -o kept.npz --length-scale 2
  expect_code 2 "expected k from 1" engine 3 graph points.npz -o kept.npz -k 5000
  expect_code 5 "memory budget" engine 2 graph points.npz -o kept.npz --memory 1MB
  expect_code 1 "folder" engine 3 graph points.npz -o no/such/folder/g.npz
  expect_code 3 "expected points" engine 2 graph graph.npz -o kept.npz
  expect_code 3 "expected points" engine 2 graph graph.npz -o kept.npz --partition 2 --kind points
  expect_code 3 "--partition needs a graph" engine 2 graph points.npz -o kept.npz --partition 2
  expect_code 2 "stkr data convert digits digits.npz" engine 2 graph digits -o kept.npz
}

run_group
