#!/usr/bin/env bash
# What the engine reads besides .npz files, compared with one machine.
# Usage: input_test.sh STKR MPIEXEC parts|lists|errors
. "$(dirname "$0")/command_testing.sh"

fit=(--transform inverse-laplacian --ridge 0.1 --tolerance 1e-11 -q)

# compare INPUT EXPECTED OPTION...: the answers of a fit of INPUT on many processes are in EXPECTED.
compare() {
  local input=$1 expected=$2
  shift 2
  for ranks in 1 2 3 4; do
    engine "$ranks" fit "$input" -o many.npz "${fit[@]}" "$@" || fail "$ranks processes: $input"
    "$stkr" predict many.npz -o many.csv -q || fail "predict of $ranks processes: $input"
    same "$expected" many.csv || fail "$input: $ranks processes differ"
  done
}

test_parts() {
  make_graphs
  "$stkr" fit graph.npz -o one.npz "${fit[@]}" && "$stkr" predict one.npz -o one.csv -q || fail "fit"
  for parts in 1 3 8; do
    "$stkr" data convert graph.npz "parts-$parts" --parts "$parts" -q || fail "convert to $parts"
    compare "parts-$parts" one.csv
  done
  # One machine reads folders, too.
  "$stkr" fit parts-3 -o again.npz "${fit[@]}" && "$stkr" predict again.npz -o again.csv -q || fail "fit of parts"
  cmp one.csv again.csv || fail "a folder is not what the file is"
  "$stkr" data convert parts-8 back.npz -q || fail "convert back"
  "$stkr" fit back.npz -o back-model.npz "${fit[@]}" || fail "fit of what was converted back"
  cmp <(grep -a data_fingerprint one.npz) <(grep -a data_fingerprint back-model.npz) || fail "converted back"
  # Fewer rows than processes and parts.
  printf '0\t1\n1\t2\n' >small.tsv
  printf '0\n-1\n1\n' >small.txt
  "$stkr" data convert small.tsv small --parts 5 --labels small.txt -q || fail "convert small"
  "$stkr" fit small -o small.npz "${fit[@]}" && "$stkr" predict small.npz -o small.csv -q || fail "small"
  compare small small.csv
}

test_lists() {
  make_graphs
  "$stkr" fit edges.tsv --labels labels.txt -o one.npz "${fit[@]}" || fail "one machine"
  "$stkr" predict one.npz -o one.csv -q
  compare edges.tsv one.csv --labels labels.txt
  # Directed, and compressed.
  "$stkr" fit edges.tsv --labels labels.txt --symmetrize --duplicates sum -o one.npz "${fit[@]}" || fail "directed"
  "$stkr" predict one.npz -o one.csv -q
  gzip -k edges.tsv
  compare edges.tsv.gz one.csv --labels labels.txt --symmetrize --duplicates sum
  "$stkr" data convert graph.npz graph.mtx -q || fail "convert to Matrix Market"
  "$stkr" fit graph.mtx --labels labels.txt -o one.npz "${fit[@]}" && "$stkr" predict one.npz -o one.csv -q
  compare graph.mtx one.csv --labels labels.txt
}

test_errors() {
  make_graphs
  "$stkr" data convert graph.npz parts --parts 4 -q || fail "convert"
  echo before >kept.npz
  # broken NAME CHANGE TEXT: a copy of the folder in which CHANGE was run is refused with TEXT.
  broken() {
    cp -r parts "$1"
    (cd "$1" && eval "$2")
    expect_code 3 "$3" engine 3 fit "$1" -o kept.npz "${fit[@]}"
  }
  broken missing 'rm part-0002.npz' "part-0002.npz: no such file, but parts.json lists it"
  broken short 'truncate -s 3000 part-0003.npz' "part-0003.npz: has 3000 bytes, expected"
  broken other 'cp part-0001.npz part-0002.npz' "part-0002.npz"
  broken shape 'sed -i "0,/\"rows\": [0-9]*/s//\"rows\": 7/" parts.json' "parts.json"
  broken list 'sed -i s/entries/something/ parts.json' "parts.json: is damaged"
  broken labels 'rm samples.npz' "samples.npz: no such file"
  # Parts of two conversions, without sizes and checksums.
  broken mixed 'sed -i "s/\"bytes\"/\"size\"/; s/\"crc32\"/\"crc\"/" parts.json; cp part-0000.npz part-0003.npz' \
    "part-0003.npz: has"
  # Processes that see different files.
  mkdir a b
  cp graph.npz a/graph && printf '0\t1\n1\t2\n' >list.tsv && "$stkr" data convert list.tsv b.npz -q && cp b.npz b/graph
  cp -r parts a/parts && "$stkr" data convert graph.npz b/parts --parts 3 -q
  cp edges.tsv a/edges.tsv && head -n 100 edges.tsv >b/edges.tsv
  differ() {
    "$mpiexec" --quiet --oversubscribe -n 1 -wdir "$folder/a" "$stkr" fit "$1" -o "$folder/kept.npz" "${fit[@]}" \
      --format "$2" --engine petsc : -n 2 -wdir "$folder/b" "$stkr" fit "$1" -o "$folder/kept.npz" "${fit[@]}" \
      --format "$2" --engine petsc
  }
  expect_code 3 "give all nodes the same file" differ graph npz
  expect_code 3 "give all nodes the same file" differ parts npz
  expect_code 3 "give all nodes the same file" differ edges.tsv tsv
  printf 'a\tb\n' >names.tsv
  expect_code 2 "names of nodes" engine 2 fit names.tsv -o kept.npz "${fit[@]}"
}

run_group
