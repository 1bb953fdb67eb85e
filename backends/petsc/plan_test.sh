#!/usr/bin/env bash
# Compares `stkr plan --engine petsc --ranks P` with what the engine itself plans, takes and refuses on P processes.
# Usage: plan_test.sh STKR MPIEXEC share|budget|errors
. "$(dirname "$0")/command_testing.sh"

# plan_equals INPUT RANKS OPTION...: the plan is what the engine plans for the process with the most.
plan_equals() {
  local input=$1 ranks=$2
  shift 2
  engine "$ranks" fit "$input" -o many.npz --json "$@" >fit.json 2>/dev/null || fail "fit: $ranks processes: $input $*"
  "$stkr" plan "$input" --engine petsc --ranks "$ranks" --json "$@" >plan.json 2>/dev/null || fail "plan: $input $*"
  engine "$ranks" plan "$input" --json "$@" >launched.json 2>/dev/null || fail "plan with mpirun: $input $*"
  # Free memory and measured rates differ.
  local varies='least|most|"memory"'
  diff <(grep -vE "$varies" launched.json) <(grep -vE "$varies" plan.json) ||
    fail "the plan of $ranks launched processes is another one: $input"
  [[ $(number expected_bytes plan.json) == $(number planned_bytes fit.json) ]] ||
    fail "$input, $ranks processes: planned $(number expected_bytes plan.json), the engine plans" \
      "$(number planned_bytes fit.json)"
}

test_share() {
  make_graphs
  "$stkr" data convert graph.npz graph.mtx -q && "$stkr" data convert graph.npz parts --parts 3 -q || fail "convert"
  # A hub that is joined to all other nodes of a ring.
  awk 'BEGIN { for (i = 1; i < 400; ++i) { print "0\t" i; print i "\t" i % 399 + 1 } }' >hub.tsv
  awk 'BEGIN { for (i = 0; i < 400; ++i) print (i % 51 == 3 ? i % 2 : -1) }' >hub.txt
  "$stkr" data convert hub.tsv hub.npz --labels hub.txt -q || fail "convert the hub"
  local fit=(--transform inverse-laplacian --ridge 0.1)
  for ranks in 1 2 3 4; do
    plan_equals graph.npz "$ranks" "${fit[@]}"
    plan_equals hub.npz "$ranks" "${fit[@]}"
    plan_equals parts "$ranks"
    plan_equals edges.tsv "$ranks" --labels labels.txt "${fit[@]}" --kernel lazy-walk
    plan_equals graph.mtx "$ranks" --labels labels.txt --method label-propagation
  done
  "$stkr" plan hub.npz --engine petsc --ranks 50 --json "${fit[@]}" >plan.json
  # The row of the hub is never divided.
  grep -A4 '"engine"' plan.json | grep -q '"entries": 399' || fail "the hub: $(grep -A4 '"engine"' plan.json)"
}

# A graph that is large enough for its memory to be seen, and what budgets allow.
test_budget() {
  awk 'BEGIN { srand(3); n = 60000; for (i = 0; i < n; ++i) for (k = 0; k < 10; ++k) {
         j = k < 9 ? i + 1 + int(rand() * 200) : int(rand() * n); if (j < n && i != j) print i "\t" j }
         print "# nodes " n }' >large.tsv
  awk 'BEGIN { for (i = 0; i < 60000; ++i) print (i % 1203 == 5 ? i % 10 : -1) }' >large.txt
  "$stkr" data convert large.tsv large.npz --labels large.txt -q || fail "convert"
  local fit=(--transform inverse-laplacian --ridge 0.1 --threads 1)
  for ranks in 1 2 3 4; do
    plan_equals large.npz "$ranks" "${fit[@]}"
    awk -v plan="$(number planned_bytes fit.json)" -v peak="$(number peak_bytes fit.json)" \
      'BEGIN { exit !(plan >= peak && plan < 1.4 * peak) }' ||
      fail "$ranks processes: planned $(number planned_bytes fit.json), measured $(number peak_bytes fit.json)"
  done
  # A budget that the plan refuses is refused by the engine, and the other way round.
  for memory in 20MB 50MB 60MB 70MB 200MB; do
    "$stkr" plan large.npz --engine petsc --ranks 3 --memory $memory "${fit[@]}" >plan.txt 2>err.txt
    local planned=$?
    engine 3 fit large.npz -o many.npz -q --memory $memory "${fit[@]}" 2>err.txt
    local found=$?
    ((found == planned)) || fail "--memory $memory: the plan ends with $planned, the fit with $found: $(cat err.txt)"
    codes="${codes:-} $found"
  done
  [[ $codes == *5* && $codes == *0* ]] || fail "the budgets do not differ:$codes"
}

test_errors() {
  make_graphs
  expect_code 2 "needs --engine petsc" "$stkr" plan graph.npz --ranks 2
  expect_code 2 "1 or more" "$stkr" plan graph.npz --engine petsc --ranks 0
  expect_code 2 "for graphs" "$stkr" plan --points 1000x10 --labeled 10 --engine petsc --ranks 2
  expect_code 2 "for graphs" engine 2 plan digits
  expect_code 3 "no such file" "$stkr" plan missing.npz --engine petsc --ranks 2
  expect_code 5 "" "$stkr" plan graph.npz --engine petsc --ranks 2 --memory 100k
  # mpirun may have started several processes.
  expect_once "^memory" engine 2 plan graph.npz --ranks 2
  expect_once "^Usage" engine 2 plan --help
  expect_code 2 "1 or more" engine 2 plan graph.npz --ranks 0
  # By sizes alone, and by a program without the engine.
  mkdir alone && cp "$stkr" alone/stkr
  alone/stkr plan --graph 1000000 --entries 20000000 --labeled 100 --engine petsc --ranks 64 >plan.txt ||
    fail "the plan needs the engine's program"
  grep -q "64, each with at most 15,625 nodes and 312,500 entries" plan.txt || fail "$(cat plan.txt)"
  expect_code 2 "has no PETSc engine" alone/stkr plan graph.npz --engine petsc
}

run_group
