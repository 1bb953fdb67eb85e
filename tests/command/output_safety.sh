# shellcheck shell=bash disable=SC2154
# An output is written completely or not at all; unwritable outputs are reported before the work
# begins.
mkdir results
run 0 data make two-moons -o moons.csv --samples 40 --per-class 4
run 0 fit moons.csv -o results/model.npz
run 0 predict results/model.npz -o results/p.csv
cp results/model.npz kept.npz
cp results/p.csv kept.csv
untouched() {
  same kept.npz results/model.npz
  same kept.csv results/p.csv
  only results $'model.npz\np.csv'
}

run 1 fit moons.csv -o absent/model.npz && says 'absent/model\.npz' 'does not exist'
run 1 fit moons.csv -o results && says 'results' 'folder'
run 1 predict results/model.npz -o absent/p.csv && says 'absent/p\.csv' 'does not exist'
run 1 predict results/model.npz -o results && says 'results' 'folder'
run 1 data make circles -o absent/c.csv && says 'absent/c\.csv'
run 1 data convert moons.csv absent/c.csv && says 'absent/c\.csv'
untouched

# Before the input is even read:
run 1 fit no_such_input.csv -o absent/model.npz && says 'absent'
run 1 predict no_such_model.npz -o absent/p.csv && says 'absent'

# A failure after the check.
printf 'a,b,label\n0,0,x\n1,nan,y\n' >bad.csv
run 3 fit bad.csv -o results/model.npz
run 2 fit moons.csv -o results/model.npz --beta 0
run 3 predict results/model.npz bad.csv -o results/p.csv
untouched

# A file size limit acts like a full disk.
(
  ulimit -f 1
  "$stkr" fit moons.csv -o results/model.npz >out 2>err
  echo $? >code
)
[[ $(cat code) == 1 ]] || fail "a full disk: exit $(cat code): $(cat err)"
last='fit onto a full disk' && says 'results/model\.npz: cannot write: .*File too large'
untouched

# Interrupted: nothing is written.
run 0 data make swiss-roll -o roll.npz --samples 3000
"$stkr" fit roll.npz -o results/model.npz --solver richardson --max-iterations 1000000 \
  --tolerance 1e-15 --power 2 --threads 1 >out 2>err &
sleep 1
kill -TERM $! # not INT, which bash lets background jobs ignore
wait $!
code=$?
[[ $code == 130 ]] || fail "interrupted: exit $code: $(cat err)"
untouched

# ... also while it waits for a pipe without a writer.
mkfifo pipe
"$stkr" fit pipe -o results/model.npz >out 2>err &
sleep 1
kill -TERM $!
wait $!
code=$?
[[ $code == 130 || $code == 3 ]] || fail "interrupted at a pipe: exit $code: $(cat err)"
untouched

# Nothing is left behind, however a run ends while it writes.
for signal in HUP PIPE XCPU KILL; do
  "$stkr" data make swiss-roll -o results/big.csv --samples 3000000 >out 2>err &
  sleep 0.7
  kill -$signal $!
  wait $! 2>/dev/null
  [[ $? -gt 128 ]] || fail "SIG$signal did not end a run that writes"
  untouched
done

# A model needs a regular file; this is checked before the work begins.
for device in /dev/null /dev/full; do
  run 1 fit no_such_input.csv -o $device && says "$device.*regular file"
  run 1 select no_such_input.csv -o $device && says "$device.*regular file"
done
"$stkr" fit no_such_input.csv -o /dev/stdout 2>err | cat
[[ ${PIPESTATUS[0]} == 1 ]] || fail '-o /dev/stdout for a model'
last='fit -o /dev/stdout' && says '/dev/stdout.*regular file'
run 2 data make circles -o /dev/stdout && says '/dev/stdout: the extension does not determine the format'

# A private file stays private, also while it is written.
chmod 600 results/model.npz
run 0 fit moons.csv -o results/model.npz
[[ $(stat -c %a results/model.npz) == 600 ]] || fail 'the model became readable for others'
untouched
