# shellcheck shell=bash disable=SC2154
# What a command says while it runs: a bar on a terminal, times with -v, nothing with -q.
make_moons
run 0 fit moons.csv -o m.npz && ! grep -q '%' err || fail "progress without a terminal: $(cat err)"
cp out normal

# Phases with their times, also without a terminal.
run 0 fit moons.csv -o v.npz -v && says '^stkr: reading: ' '^stkr: neighbors: [0-9.]+ s$' '^stkr: kernels: '
run 0 predict v.npz moons.csv -o v.csv --verbose && says '^stkr: predicting: '
run 0 select moons.csv --folds 4 --families power --ridges 1 -v && says '^stkr: powers: '
run 0 graph moons.csv -o g.npz --verbose && says '^stkr: neighbors: '

# Nothing but errors.
run 0 fit moons.csv -o q.npz -q && [[ ! -s out && ! -s err ]] || fail "-q says: $(cat out err)"
run 0 predict q.npz -o q.csv --quiet && [[ ! -s out && ! -s err ]] || fail "-q says: $(cat out err)"
run 0 select moons.csv --folds 4 --families power -q && [[ ! -s out && ! -s err ]] || fail "-q says: $(cat out err)"
run 0 fit moons.csv -o q.npz -q --json && is_json out
run 3 fit absent.csv -o q.npz -q && says 'absent.csv'
run 2 fit moons.csv -o q.npz -q -v && says 'quiet'
printf 'a,label\n1,x\n2,-1\n3,x\n4,y\n5,y\n' >noted.csv
run 0 data convert noted.csv n.npz -q && [[ ! -s out && ! -s err ]] || fail "-q says: $(cat out err)"

# The results are the same.
run 0 predict m.npz -o m.csv
for name in v q; do run 0 predict $name.npz -o $name.csv && same m.csv $name.csv; done

# On a terminal: a line that is redrawn and erased, for what takes longer than a moment.
run 0 data make two-moons -o many.csv --samples 5000 --noise 0.1 --per-class 3
export stkr
command -v script >/dev/null && {
  script -qec '"$stkr" fit many.csv -o t.npz --kernel rbf --eta 0.999 --beta 1e-3 --threads 1 2>&1 >text' typescript >shown
  grep -q '\[[#.]*\] *[0-9]*%' shown || fail "no bar on a terminal: $(tail -c 300 shown)"
  grep -qa $'\r\033\[K' shown || fail 'the bar is not erased'
  ! grep -q "\[[#.]*\]" text || fail "the bar is on stdout"
  script -qec '"$stkr" fit many.csv -o t.npz --kernel rbf --eta 0.999 --beta 1e-3 --threads 1 -q 2>&1' typescript >shown
  ! grep -q '\[[#.]*\]' shown || fail '-q shows a bar'
}
