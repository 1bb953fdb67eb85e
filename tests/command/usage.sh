# shellcheck shell=bash disable=SC2154
run 0 --help && shows 'Exit codes' 'First steps'
for command in fit predict score select graph plan data 'data list' 'data info' 'data convert' 'data make' demo reproduce; do
  # shellcheck disable=SC2086
  run 0 $command --help && shows "Usage: stkr $command"
  ! grep -q 'First steps' out || fail "$last repeats the first steps"
  [[ $(awk '{ if (length($0) > 110) n++ } END { print n + 0 }' out) == 0 ]] || fail "$last: too wide"
done
# --help shows the options to know first, --help-all all of them.
run 0 fit --help && shows '\.graphml' '\.h5ad' '--id COLUMN' '--standardize' '--html' '^  -o,--output' '--kernel NAME' '--ridge' '[0-9]+ more options: --help-all'
[[ $(grep -cE '^  -' out) -le 24 ]] || fail "$last lists $(grep -cE '^  -' out) options"
! grep -q -- '--step-size' out || fail "$last lists --step-size"
run 0 fit --help-all && shows '--step-size' '--coefficients'
grep -qE '^$' out && [[ -n $(cat -s out | cmp - out) ]] && fail "help --all has two blank lines in a row"
run 0 help fit && cp out helped && run 0 fit --help && same out helped
run 0 help && cp out helped && run 0 --help && same out helped
run 2 help fitt && says "unknown command 'stkr fitt'"
run 0 data convert karate k.npz && run 0 data convert karate -o k2.npz && same k.npz k2.npz
run 2 data convert karate && says 'required'

run 0 --version && shows '^stkr [0-9]+\.[0-9]+' '^devices: cpu(, cuda |$)'
run 2 && says "needs a command" "stkr --help"
run 2 learn && says "unknown command 'stkr learn'"
run 2 fitt && says "unknown command 'stkr fitt'; did you mean stkr fit?"
run 2 fitt --help && says "unknown command 'stkr fitt'"
run 2 data convrt && says 'did you mean stkr data convert'
run 2 data drop && says "unknown command 'stkr data drop'"
run 2 fit && says 'INPUT is required'
run 2 fit karate && says '--output is required' 'stkr fit --help'
run 2 fit karate -o '' && says 'output.*empty'
run 2 fit karate -o m --labels '' && says 'labels.*empty'
run 2 fit karate -o m --bogus && says 'unexpected argument: --bogus'
run 2 fit karate -o m --lambda 3 && says 'unexpected arguments: --lambda 3'
run 2 fit karate -o m --etta 0.5 && says 'unexpected arguments: --etta 0.5; did you mean --eta\?'
run 2 fit karate -o m --lambda 3 && says 'unexpected arguments: --lambda 3; did you mean --ridge\?'
run 2 fit karate -o m --n_neighbors 3 && says 'did you mean --neighbors\?'
run 2 fit karate -o m --lables club && says 'did you mean --labels'
run 2 predict m -o p.csv --prob && says 'did you mean --proba'
# Values out of range are wrong usage.
run 2 fit digits -o m --beta 0 && says 'beta = 0; expected a positive number' "stkr fit --help"
run 2 fit digits -o m --eta 0 && says 'eta = 0'
run 2 fit digits -o m --power 0.5 && says 'p = 0.5; expected p >= 1'
run 2 fit digits -o m --time -1 && says 't = -1'
run 2 fit digits -o m --d 0 && says 'd = 0'
run 2 fit digits -o m --max-iterations 0 && says 'max-iterations = 0'
run 2 fit digits -o m --kernel polynomial --degree 0 && says 'degree = 0'
run 2 fit digits -o m --kernel knn --neighbors 5000 --per-class 3 && says 'k = 5000'
run 2 fit digits -o m --per-class 1000 && says '1000 labels per class requested, but class 0 has 178'
run 2 data make circles -o c.csv --noise -1 && says 'noise.*-1 given; expected 0 or more'
run 2 data make circles -o c.csv --factor 3 && says 'factor.*3 given'
run 2 data make block-model -o c.npz --p-in 2 && says 'p-in.*2 given'
run 2 data make block-model -o c.npz --blocks 0,3 && says 'blocks.*0 given'
run 2 select digits --per-class 4 --etas 1 && says 'eta = 1; expected a number between 0 and 1'
! grep -q 'grid:' err || fail "$(cat err)"
# Names with '-' or '_', and what other libraries call them.
run 2 fit karate -o m --kernel gaussian && says "'gaussian' is called rbf here" 'precomputed'
run 2 fit karate -o m --kernel lazywalk && says 'did you mean lazy-walk'
run 0 fit karate -o walk.npz --per-class 3 --kernel lazy_walk --transform inverse_laplacian --eta 0.5
run 0 fit digits -o epsilon.npz --per-class 5 --kernel epsilon-neighbor --length-scale 30 --ridge 0.1
run 0 select karate --folds 2 --families inverse_laplacian --etas 0.5
run 2 data make two_moon -o c.csv && says 'did you mean two-moons'
# A model is an .npz file.
for name in model.pkl model.json model.csv; do
  run 2 fit karate -o $name && says "$name given; a model is an .npz file"
done
run 2 fit karate -o m --kernel rbff && says 'rbff' 'laplacian'
run 2 fit karate -o m --transform cube && says 'cube' 'diffusion'
run 2 fit karate -o m --method svm && says 'svm' 'kernel-ridge'
run 2 fit karate -o m --solver lu && says 'lu' 'minres'
run 2 fit karate -o m --threads 0 && says 'threads.*0'
run 2 fit karate -o m --threads 99999 && says 'threads.*99999'
run 2 fit karate -o m --device tpu && says "--device: device 'tpu' is unknown; expected cpu"
for command in 'fit karate -o m' 'select karate' 'predict m -o p.csv' 'plan karate' 'reproduce' 'demo'; do
  # shellcheck disable=SC2086
  run 2 $command --device cuda && says "device 'cuda' cannot be used: .*; expected cpu" 'stkr --version'
done
run 2 fit karate -o m --seed -1 && says 'seed.*-1'
run 2 fit karate -o m --per-class 0 && says 'per-class.*0 given.*1 or more'
run 2 fit karate -o m --beta much && says 'beta.*much'
run 2 fit karate -o m --normalize --no-normalize && says 'excludes'
run 2 fit karate -o m --ridge 0.1 --beta 1 && says '--ridge excludes --beta'
run 2 fit karate -o m --ridge much && says 'ridge.*much'
run 2 fit karate -o m --literal-top-d && says '--literal-top-d.*only to'
run 2 fit karate -o m --method kernel-ridge --literal-top-d && says '--literal-top-d.*only to'
run 2 fit karate -o m --measure mass && says 'measure.*mass'
run 2 fit karate -o m --power 2 --time 3 && says '--power.*only to --transform power'
run 2 fit karate -o m --power 2 --eta 0.5 && says '--eta.*only to'
run 2 fit karate -o m --coefficients 1,2 && says '--coefficients.*only to'
run 2 fit karate -o m --method kernel-ridge --solver cg && says '--solver.*only to --method stkr'
run 2 fit karate -o m --method label-propagation --beta 1 && says '--beta.*only to'
run 2 fit karate -o m --method label-propagation --ridge 1 && says '--ridge.*only to'
run 2 fit digits -o m --gamma 1 --length-scale 2 && says 'cannot be combined'
run 2 predict && says 'MODEL is required'
run 2 predict m && says '--output is required'
run 2 data make spirals -o s.csv && says 'spirals' 'two-moons'
[[ ! -e m ]] || fail 'a usage error wrote a model'
