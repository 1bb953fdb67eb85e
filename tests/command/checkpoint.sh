# Long runs save their state and resume from it with bitwise identical results.

run 0 data make block-model -o graph.npz --blocks 300,300 --p-in 0.05 --p-out 0.005 --per-class 20
# Hundreds of steps, each saved: a few seconds.
slow=(fit graph.npz --solver richardson --eta 0.9 --beta 1e-4 --tolerance 1e-9 --max-iterations 300
      --checkpoint state --checkpoint-interval 0)
run 4 "${slow[@]}" -o whole.npz
[[ ! -e state ]] || fail "the state stays behind after a run that ended"

# interrupt SIGNAL FILE: starts the slow fit and stops it after it has saved a state.
interrupt() {
  "$stkr" "${slow[@]}" -o "$2" >out 2>err &
  local process=$!
  for ((k = 0; k < 500; ++k)); do
    [[ -e state && $(wc -c <state) -gt 1000 ]] && break
    sleep 0.02
  done
  kill -"$1" $process
  wait $process
  code=$?
  last="stkr ${slow[*]} ($1)"
}

interrupt TERM model.npz # not INT, which bash lets background jobs ignore
[[ $code == 130 ]] || fail "$last: exit $code, expected 130"
says 'the state is saved in state; run the same command to resume'
[[ ! -e model.npz ]] || fail "an interrupted fit wrote a model"
interrupt KILL model.npz
[[ $code == 137 && -e state ]] || fail "$last: exit $code, or no state"
cp state before

run 3 fit graph.npz --eta 0.5 --checkpoint state -o other.npz
says 'state: is the state of another run' 'remove the file to start over'
same state before
head -c 900 before >damaged
run 3 "${slow[@]/state/damaged}" -o other.npz
says 'damaged: '

run 4 "${slow[@]}" -o model.npz
says 'resuming from state'
same model.npz whole.npz
[[ ! -e state ]] || fail "the state stays behind after a run that ended"

run 2 fit graph.npz -o other.npz --checkpoint graph.npz
says 'graph.npz is also an input'
run 1 fit graph.npz -o other.npz --checkpoint nowhere/state

# Selection: finished parts are not computed again.
run 0 select graph.npz --json
mv out whole.json
choose=(select graph.npz --json --checkpoint state)
"$stkr" "${choose[@]}" >out 2>err &
process=$!
for ((k = 0; k < 500; ++k)); do
  [[ -e state && $(wc -c <state) -gt 1000 ]] && break
  sleep 0.02
done
kill -KILL $process
wait $process
run 0 "${choose[@]}"
scores() { grep -E '"(val|loss|beta|parameter|method)"' "$1"; }
cmp -s <(scores out) <(scores whole.json) || fail "a resumed selection has other scores"
