#!/usr/bin/env bash
# Graphs whose nodes are numbered at random, numbered by `stkr graph --partition` again: fits of them need fewer rows of
# other processes, and answer the same.
# Usage: partition_test.sh STKR MPIEXEC halo|large|carried|errors
. "$(dirname "$0")/command_testing.sh"

# Not --ridge, whose unit is estimated with random numbers, one for each node.
fit=(--transform inverse-laplacian --beta 1e-4 --tolerance 1e-11)

# 16 communities of 125 nodes, node i in community i % 16, with few edges between them.
make_communities() {
  awk 'BEGIN { srand(7); n = 2000; for (k = 0; k < 12000; ++k) { i = int(rand() * n)
         j = int(rand() * n / 16) * 16 + i % 16; if (rand() < 0.01) j = int(rand() * n); if (i != j) print i "\t" j }
         print "# nodes " n }' >edges.tsv
  awk 'BEGIN { for (i = 0; i < 2000; ++i) print (i % 41 == 5 ? "c" i % 16 : "") }' >labels.txt
  "$stkr" data convert edges.tsv graph.npz --labels labels.txt -q || fail "convert"
  "$stkr" fit graph.npz -o one.npz -q "${fit[@]}" && "$stkr" predict one.npz -o one.csv -q || fail "fit"
}

# by_node ANSWERS: answers by the numbers of nodes before, which are names or, in that graph itself, places.
by_node() {
  awk -F, -v OFS=, 'NR == 1 { named = $2 == "node"; next } named { sub(/^[0-9]*,/, "") } { print }' "$1" |
    sort -t, -k1,1n
}

# without_names ANSWERS: predictions and scores.
without_names() {
  sed 's/^.*,\(c[0-9]*,[01],\)/\1/' "$1" | tail -n +2
}

test_halo() {
  make_communities
  for ranks in 1 2 3 4; do
    engine "$ranks" graph graph.npz --partition 4 -o parts.npz --json >parts.json || fail "$ranks processes"
    # Balanced by entries plus rows, and few of about 24,000 entries are between the parts.
    awk -v least="$(grep -A3 work_of_parts parts.json | grep least | tr -dc 0-9)" \
      -v most="$(grep -A3 work_of_parts parts.json | grep most | tr -dc 0-9)" \
      -v between="$(number entries_between_parts parts.json)" \
      'BEGIN { exit !(most < 1.3 * least && between < 2000) }' || fail "$ranks processes: $(cat parts.json)"
    engine 4 fit graph.npz -o before.npz --json "${fit[@]}" >before.json || fail "fit"
    engine 4 fit parts.npz -o after.npz --json "${fit[@]}" >after.json || fail "fit of parts"
    awk -v before="$(number halo_rows before.json)" -v after="$(number halo_rows after.json)" \
      'BEGIN { exit !(after < before / 4) }' ||
      fail "halo rows: $(number halo_rows before.json) before, $(number halo_rows after.json) after"
    # Any number of processes and one machine fit the renumbered graph, and answer by the numbers before.
    engine "$ranks" fit parts.npz -o many.npz -q "${fit[@]}" || fail "fit of parts on $ranks processes"
    "$stkr" predict many.npz -o many.csv -q && same <(by_node one.csv) <(by_node many.csv) ||
      fail "$ranks processes answer differently"
  done
  "$stkr" fit parts.npz -o again.npz -q "${fit[@]}" && "$stkr" predict again.npz -o again.csv -q || fail "one machine"
  same <(by_node one.csv) <(by_node again.csv) || fail "one machine answers differently"
  # Edges of new nodes, and labels in a table, refer to the numbers before.
  printf '0\t3\n0\t1999\n' >new.tsv
  printf 'new\t3\nnew\t1999\n' >named.tsv
  "$stkr" predict one.npz new.tsv -o new.csv -q || fail "new nodes"
  "$stkr" predict again.npz named.tsv -o more.csv -q || fail "new nodes by name"
  same <(without_names new.csv) <(without_names more.csv) || fail "new nodes are answered differently"
}

# Large enough for PTScotch to run on all processes, and for memory to be seen.
test_large() {
  awk 'BEGIN { srand(7); n = 30000; for (k = 0; k < 300000; ++k) { i = int(rand() * n)
         j = int(rand() * n / 16) * 16 + i % 16; if (rand() < 0.01) j = int(rand() * n); if (i != j) print i "\t" j }
         print "# nodes " n }' >large.tsv
  "$stkr" data convert large.tsv large.npz -q || fail "convert"
  for ranks in 1 2 3 4; do
    engine "$ranks" graph large.npz --partition 8 -o parts.npz --json --threads 1 >parts.json || fail "$ranks processes"
    awk -v between="$(number entries_between_parts parts.json)" 'BEGIN { exit !(between < 12000) }' ||
      fail "$ranks processes: $(number entries_between_parts parts.json) of about 600,000 entries are between parts"
    awk -v plan="$(number planned_bytes parts.json)" -v peak="$(number peak_bytes parts.json)" \
      'BEGIN { exit !(plan >= peak && plan < 1.5 * peak) }' ||
      fail "$ranks processes: planned $(number planned_bytes parts.json), measured $(number peak_bytes parts.json)"
  done
}

# Names and other formats.
test_carried() {
  make_communities
  "$stkr" data convert graph.npz folder --parts 3 -q || fail "convert to parts"
  engine 3 graph folder --partition 5 -o parts.npz -q || fail "a folder"
  "$stkr" fit parts.npz -o many.npz -q "${fit[@]}" && "$stkr" predict many.npz -o many.csv -q || fail "fit"
  same <(by_node one.csv) <(by_node many.csv) || fail "a folder is answered differently"
  engine 2 graph edges.tsv --labels labels.txt --partition 5 -o parts.npz -q || fail "a list"
  "$stkr" fit parts.npz -o many.npz -q "${fit[@]}" && "$stkr" predict many.npz -o many.csv -q || fail "fit"
  same <(by_node one.csv) <(by_node many.csv) || fail "a list is answered differently"
  # Names stay names; --labeled hides labels, which stay in the file.
  awk '$1 != "#" { print "n" $1 "\tn" $2 }' edges.tsv >named.tsv
  "$stkr" data convert named.tsv named.npz -q || fail "convert names"
  engine 4 graph named.npz --partition 4 -o parts.npz >out.txt || fail "names"
  grep -q "4 of .* nodes" out.txt || fail "$(cat out.txt)"
  "$stkr" data convert named.npz before.tsv -q && "$stkr" data convert parts.npz after.tsv -q || fail "convert back"
  diff <(grep -v '^#' before.tsv | awk '{ print ($1 < $2) ? $1 " " $2 : $2 " " $1 }' | sort) \
    <(grep -v '^#' after.tsv | awk '{ print ($1 < $2) ? $1 " " $2 : $2 " " $1 }' | sort) >/dev/null ||
    fail "the edges are others"
  # Fewer nodes than processes; nodes without edges, and with loops.
  printf '0\t1\n2\t2\n# nodes 5\n' >small.tsv
  "$stkr" data convert small.tsv small.npz -q || fail "convert small"
  for parts in 1 2 5; do
    engine 4 graph small.npz --partition $parts -o parts.npz -q || fail "$parts parts of a small graph"
    "$stkr" data info parts.npz >/dev/null || fail "a small graph"
  done
}

test_errors() {
  make_graphs
  echo before >kept.npz
  expect_code 2 "needs --engine petsc" "$stkr" graph graph.npz --partition 4 -o kept.npz
  expect_code 2 "--neighbors excludes --partition" "$stkr" graph graph.npz --partition 4 -k 5 -o kept.npz --engine petsc
  expect_code 2 "expected 1 to 900" engine 2 graph graph.npz --partition 901 -o kept.npz
  expect_code 2 "write .npz" engine 2 graph graph.npz --partition 2 -o parts.mtx
  expect_code 3 "no such file" engine 2 graph missing.npz --partition 2 -o kept.npz
  expect_code 5 "memory budget" engine 2 graph graph.npz --partition 2 -o kept.npz --memory 1MB
  expect_code 1 "folder" engine 3 graph graph.npz --partition 2 -o no/such/folder/g.npz
}

run_group
