# shellcheck shell=bash disable=SC2154
run 0 --help && shows 'Exit codes' 'First steps'
for command in fit predict plan data 'data list' 'data info' 'data convert' 'data make' demo reproduce; do
  # shellcheck disable=SC2086
  run 0 $command --help && shows "Usage: stkr $command"
  ! grep -q 'First steps' out || fail "$last repeats the first steps"
  [[ $(awk '{ if (length($0) > 110) n++ } END { print n + 0 }' out) == 0 ]] || fail "$last: too wide"
done
run 0 --version && shows '^stkr [0-9]+\.[0-9]+'
run 2 && says "needs a command" "stkr --help"
run 2 learn && says "unknown command 'stkr learn'"
run 2 data drop && says "unknown command 'stkr data drop'"
run 2 fit && says 'INPUT is required'
run 2 fit karate && says '--output is required' 'stkr fit --help'
run 2 fit karate -o '' && says 'output.*empty'
run 2 fit karate -o m --labels '' && says 'labels.*empty'
run 2 fit karate -o m --bogus && says 'bogus'
run 2 fit karate -o m --kernel rbff && says 'rbff' 'laplacian'
run 2 fit karate -o m --transform cube && says 'cube' 'diffusion'
run 2 fit karate -o m --method svm && says 'svm' 'kernel-ridge'
run 2 fit karate -o m --solver lu && says 'lu' 'minres'
run 2 fit karate -o m --threads 0 && says 'threads.*0'
run 2 fit karate -o m --threads 99999 && says 'threads.*99999'
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
