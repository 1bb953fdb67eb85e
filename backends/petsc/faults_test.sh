#!/usr/bin/env bash
# Processes that are interrupted or killed, and problems that only one of them has.
# Usage: faults_test.sh STKR MPIEXEC resume|signals|one_rank
. "$(dirname "$0")/command_testing.sh"

# A path half of whose nodes have labels, so many that no label is left out and the solver is the one that is
# named. It takes thousands of steps.
make_path() {
  awk 'BEGIN { for (i = 0; i < 6000; ++i) print i "\t" i + 1 }' >path.tsv
  awk 'BEGIN { for (i = 0; i <= 6000; ++i) print (i < 2500 ? i >= 1250 : -1) }' >ends.txt
  "$stkr" data convert path.tsv path.npz --labels ends.txt -q || fail "convert"
}
fit=(fit path.npz --transform inverse-laplacian --eta 0.9999 --beta 1 --solver minres
     --tolerance 1e-10 --max-iterations 100000 --checkpoint state)

# stop RANKS SIGNAL WHOM [OPTION...]: starts the fit, which saves every step, and sends a signal to
# the job or to one of its processes when it has saved something. Sets code.
stop() {
  local ranks=$1 signal=$2 whom=$3
  shift 3
  echo before >kept.npz
  local size=0
  [[ -e state ]] && size=$(stat -c %i state)
  "$mpiexec" --oversubscribe "$@" -n "$ranks" "$stkr" "${fit[@]}" -o kept.npz --checkpoint-interval 0 \
    --engine petsc >out.txt 2>err.txt &
  local job=$!
  for ((k = 0; k < 3000; ++k)); do
    [[ -e state && $(stat -c %i state) != "$size" && $(stat -c %s state) -gt 2000 ]] && break
    kill -0 $job 2>/dev/null || break
    sleep 0.02
  done
  if [[ $whom != job ]]; then whom=$(pgrep -P $job | sed -n "$((whom + 1))p"); else whom=$job; fi
  kill "-$signal" "$whom"
  local began=$SECONDS
  wait $job
  code=$?
  ((SECONDS - began < 20)) || fail "$signal: the job ended only after $((SECONDS - began)) s"
  [[ $(cat kept.npz) == before ]] || fail "$signal: the output was touched"
  [[ -e state ]] || fail "$signal: no state"
}

says() { grep -qF -- "$1" err.txt || fail "expected '$1': $(cat err.txt)"; }

# resumes RANKS: goes on from a copy of the state, to the answers of one machine.
resumes() {
  cp state before
  "${@}" "${fit[@]/%state/state}" -o resumed.npz 2>err.txt || fail "$*: $(cat err.txt)"
  says "resuming from state"
  [[ ! -e state ]] || fail "$*: the state stays behind"
  mv before state
  "$stkr" predict resumed.npz -o resumed.csv -q
  same whole.csv resumed.csv || fail "$*: the answers differ"
}

test_resume() {
  make_path
  "$stkr" "${fit[@]}" -o whole.npz || fail "whole"
  "$stkr" predict whole.npz -o whole.csv -q
  # A killed process ends the job, and any number of processes goes on, or one machine.
  stop 2 KILL 1
  ((code != 0)) || fail "KILL: the job ended with 0"
  says "exited on signal 9"
  resumes engine 3
  resumes engine 1
  resumes "$stkr"
  # Three go on from the state of two and are killed, too; then from that of one machine.
  stop 3 KILL 0
  resumes engine 2
  # The same number of processes: the same bits.
  rm state
  engine 2 "${fit[@]}" -o whole.npz || fail "whole"
  stop 2 KILL 0
  engine 2 "${fit[@]}" -o resumed.npz 2>err.txt
  says "resuming from state"
  cmp <(arrays whole.npz) <(arrays resumed.npz) || fail "other bits"
}

# The model without the command that made it.
arrays() { "$stkr" predict "$1" -o bits.npz -q && unzip -p bits.npz scores.npy; }

test_signals() {
  make_path
  # One process gets it, and all stop at the same product and save.
  for rank in 0 1; do
    rm -f state
    stop 2 TERM $rank
    ((code == 130)) || fail "TERM to one process: exit code $code"
    says "the state is saved in state; run the same command to resume"
    says "interrupted; nothing was written"
  done
  # mpirun passes on SIGUSR1, and leaves the job the time that it takes.
  stop 2 USR1 job
  ((code == 130)) || fail "USR1: exit code $code"
  says "the state is saved in state"
  # On SIGTERM, it waits so many seconds, passes it on, waits again, kills what has not ended, and has its own
  # exit code.
  stop 2 TERM job --mca odls_base_sigkill_timeout 2
  ((code != 0)) || fail "TERM: exit code $code"
  says "the state is saved in state"
}

# one_rank COMMAND...: what the second process runs instead of `stkr`; its arguments follow.
one_rank() {
  cat >wrapper.sh <<END
#!/usr/bin/env bash
[[ \$OMPI_COMM_WORLD_RANK == 1 ]] || exec "$stkr" "\$@"
$1
END
  chmod +x wrapper.sh
}
wrapped() { "$mpiexec" --quiet --oversubscribe -n 3 ./wrapper.sh "$@" --engine petsc; }

# patch FILE: the column of the last entry, which the last process has, is that of no node.
patch() {
  python3 - "$1" <<END
import sys, zipfile
name = sys.argv[1]
with zipfile.ZipFile(name) as old:
    arrays = {member: bytearray(old.read(member)) for member in old.namelist()}
arrays["adj_indices.npy"][-4:] = (2 ** 30).to_bytes(4, "little")
with zipfile.ZipFile(name, "w") as new:
    for member, content in arrays.items():
        new.writestr(member, bytes(content))
END
}

test_one_rank() {
  make_graphs
  local fit=(fit graph.npz -o kept.npz --transform inverse-laplacian --ridge 0.1)
  echo before >kept.npz
  mkdir other
  one_rank "exec '$stkr' \"\$@\" --memory 100k"
  expect_code 5 "memory budget" wrapped "${fit[@]}"
  one_rank "cd other && exec '$stkr' \"\$@\""
  expect_code 3 "no such file" wrapped "${fit[@]}"
  head -n 500 edges.tsv >some.tsv
  "$stkr" data convert some.tsv other/graph.npz -q || fail "convert"
  expect_code 3 "give all nodes the same file" wrapped "${fit[@]}"
  head -c 9000 graph.npz >other/graph.npz
  expect_code 3 "may be truncated" wrapped "${fit[@]}"
  cp graph.npz other/graph.npz
  wrapped "${fit[@]}" -q || fail "equal files"
  echo before >kept.npz
  patch graph.npz
  expect_code 3 "graph.npz" engine 3 "${fit[@]}"
}

run_group
