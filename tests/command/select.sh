# shellcheck shell=bash disable=SC2054,SC2059,SC2154
# Selection from a grid: by folds, by leave-one-out, by a split; output and errors.

# shellcheck source=/dev/null
source "${checks%/*}/selection_checks"

# Cross-validation and leave-one-out.
run 0 select "${karate[@]}" --folds 4 "${quick[@]}"
shows 'cross-validation: 8 of 8 grid points by accuracy' 'rank' 'chosen' '--transform'
run 0 select "${karate[@]}" --leave-one-out "${quick[@]}" --score macro-f1
shows 'leave-one-out: 8 of 8 grid points by macro-f1'
# Fewer labels than folds.
run 0 select digits --per-class 1 --seed 3 --families power --powers 2 --betas 0.1 && shows '^cross-validation'
make_moons
run 0 select moons.csv --per-class 2 --families power --powers 2 --betas 0.1 && shows '^leave-one-out' &&
  says 'only 4 samples are labeled: each of them is left out in turn .--leave-one-out. instead of 5 folds'
run 2 select moons.csv --per-class 2 --folds 5 && says '--folds: 5 given, but only 4 samples are labeled; .*--leave-one-out'
run 0 select digits --per-class 4 --folds 2 --seed 3 --families power --powers 2 --betas 0.1
shows '1 of 1 grid points'
run 0 select "${karate[@]}" "${quick[@]}" --top 1
shows 'cross-validation'

# The same seed gives the same scores for any number of threads.
run 0 select "${karate[@]}" --folds 4 "${quick[@]}" --json --threads 1 && scores >one
run 0 select "${karate[@]}" --folds 4 "${quick[@]}" --json --threads 2 && scores >two
same one two

# Every point in the document has setting, family, param, beta or iterations, val and test.
npz split.npz train=0,1,2,3,32,33,30,31 val=4,5,28,29 test=8,9,24,25
run 0 select "${karate[@]}" --split split.npz --json --betas 1,0.01 --powers 1,2 --dimensions 1 \
  --propagation-etas 0.7,0.9 --propagation-steps 1,4 --families power,kernel-pca,label-propagation
is_json out
# 2 × 2 for power and 1 × 2 for kernel PCA in both settings, 2 × 2 for label propagation in one
# setting; the best of each setting again; and each setting by itself.
holds 12 '"setting": "transductive"'
holds 8 '"setting": "inductive"'
for key in val test param val_no_evidence test_no_evidence "beta|iterations"; do
  holds 18 "\"($key)\":"
done
shows '"lambda_1": 1.0' '"fit_options": "--' '"seconds"' '"products"' '"warnings"' '"data"'
run 0 select "${karate[@]}" --split split.npz --setting inductive --json \
  --families power,label-propagation
holds 0 '"setting": "transductive"'
holds 0 '"family": "label-propagation"'
npz untested.npz train=0,1,2,3,32,33,30,31 val=4,5,6,7,28,29,27,26
run 0 select "${karate[@]}" --split untested.npz --json "${quick[@]}"
is_json out
holds 0 '"test": [0-9]'
run 0 select "${karate[@]}" --split untested.npz "${quick[@]}"
shows 'transductive: 8 of 8' 'inductive: 8 of 8'

# The model of the chosen point is the model that was scored.
for setting in transductive inductive; do
  run 0 select "${karate[@]}" --split split.npz --setting $setting "${quick[@]}" -o model.npz
  shows 'model +model\.npz'
  run 0 predict model.npz -o p.csv
done
lines p.csv 27 # of 34 nodes, 4 are for validation and 4 for testing
run 0 select digits --per-class 5 --folds 5 "${quick[@]}" -o digits.npz
run 0 predict digits.npz -o p.csv
lines p.csv 1798
# The printed command gives the same model: input, labels, kernel and output are in it.
repeats() {
  grep -qE '^fit    stkr fit .* -o model\.npz$' out || fail "incomplete: $(grep ^fit out)"
  fit_as_printed again.npz
  run 0 predict model.npz -o p.csv && run 0 predict again.npz -o q.csv
  same p.csv q.csv
}
run 0 select "${karate[@]}" --folds 4 "${quick[@]}" -o model.npz && repeats
run 0 select digits --per-class 4 --seed 3 --folds 2 "${quick[@]}" --kernel knn --neighbors 7 -o model.npz
shows '^fit    stkr fit digits .*--per-class 4' '^fit .*--kernel knn' '^fit .*--neighbors 7' \
  '^fit .*--seed 3'
repeats
run 0 select digits --per-class 4 --folds 2 "${quick[@]}"
shows '^fit    stkr fit digits --per-class 4 .* -o model\.npz$'
run 0 select "${karate[@]}" --folds 4 --families inverse-laplacian --etas 0.1234567891234 \
  --betas 0.1234567891234
shows '--eta 0\.1234567891234 --beta 0\.1234567891234'

# Labels 7 length scales from all other samples: f is 1e-11 there, small but not zero. The reported
# scores are those of the written model's predictions.
awk 'BEGIN { print "x,label"
  for (i = 0; i < 60; ++i) { far = i % 30 ? 7 + i * 7 % 30 / 100 : 0
    print (i < 30 ? far : 40 - far) "," (i < 30 ? "a" : "b") } }' >far.csv
npz far.npz train=0,30 val="$(seq -s, 1 2 59)" test="$(seq -s, 2 2 28),$(seq -s, 32 2 58)"
run 0 select far.csv --split far.npz --kernel rbf --length-scale 1 --no-normalize \
  --families power --powers 1 --betas 1e-3 --json -o far.model
holds 4 '"val": 1\.0' # one point per setting, and the best of each again
holds 4 '"test": 1\.0'
holds 4 '"val_no_evidence": 0'
holds 4 '"test_no_evidence": 0'
run 0 predict far.model -o p.csv
[[ $(cut -d, -f2-4 p.csv | sort | uniq -c | xargs) == '30 a,1,0 30 b,1,0 1 prediction,evidence,tie' ]] ||
  fail "far.model: $(cut -d, -f2-4 p.csv | sort | uniq -c)"

# Ties are broken by the squared error, independent of the grid order.
chosen() { sed -n 's/^chosen //p' out; }
tied=(select far.csv --split far.npz --setting transductive --kernel rbf --length-scale 5
  --no-normalize --families power --powers 1)
run 0 "${tied[@]}" --betas 100,1,0.001 --json
holds 4 '"val": 1\.0' # all three, and the best again
holds 4 '"loss": 0\.[0-9]+|"loss": [0-9.]+e-[0-9]+'
run 0 "${tied[@]}" --betas 100,1,0.001 && first=$(chosen)
run 0 "${tied[@]}" --betas 0.001,1,100
[[ -n $first && $first == "$(chosen)" ]] || fail "the choice depends on the order: $first or $(chosen)"

# The best of many scores is optimistic; the expected score on new samples is also reported.
run 0 select digits --per-class 6 --leave-one-out "${quick[@]}"
shows '^expect accuracy [0-9.]+% on new samples: [0-9.]+% is the best of 8 scores on 60 samples'
cp out one
run 0 select digits --per-class 6 --leave-one-out "${quick[@]}" --threads 1 && grep expect out >two
grep expect one | cmp -s - two || fail "expected: $(grep expect one), $(cat two)"
run 0 select digits --per-class 6 --leave-one-out "${quick[@]}" --json && is_json out
holds 1 '"expected": 0\.[0-9]+'
holds 9 '"loss": [0-9.]+'

# The Poisson transform, also with class sizes: the model that is written is the one that was scored.
run 0 select "${karate[@]}" --folds 4 --families poisson --poisson-etas 0.9,1 --ridges 10,0.1 -o poisson.npz
shows '4 of 4 grid points' 'poisson eta=' '--transform poisson'
run 2 select "${karate[@]}" --families poisson --poisson-etas 1.1 && says 'eta of poisson'
run 0 select "${karate[@]}" --folds 4 --families poisson --poisson-etas 1 --prior 0.5,0.5 -o sized.npz
! grep -q 'class sizes' out || fail "the decision by volume was not scored: $(cat out)"

# Ridges in units of the kernel by default, or the paper's beta.
run 0 select "${karate[@]}" --folds 4 --families power --powers 2 --ridges 1,0.01 --json && is_json out
holds 3 '"ridge": (1\.0|0\.01)'
holds 3 '"beta": [0-9.]+'
run 0 select "${karate[@]}" --folds 4 --families power --powers 2 --ridges 1,0.01
shows '2 of 2 grid points' '^ *rank +method +ridge' 'ridge=(1|0\.01)$' '--beta [0-9.]+'
run 0 select "${karate[@]}" --folds 4 --families power --powers 2 --betas 1
shows '^ *rank +method +beta' 'beta=1$' '--beta 1 -o model\.npz$'
run 0 select "${karate[@]}" --folds 4 --families power --powers 2 && shows '12 of 12 grid points'
run 2 select "${karate[@]}" --ridges 1 --betas 1 && says '--ridges excludes --betas'

# Regression.
run 0 data make swiss-roll -o roll.csv --samples 80
run 0 select roll.csv --folds 3 "${quick[@]}" && shows 'by r2'
run 0 select roll.csv --folds 3 "${quick[@]}" --score mse && shows 'by mse'
run 2 select roll.csv --folds 3 "${quick[@]}" --score accuracy && says 'regression targets' 'mse or r2'
run 2 select "${karate[@]}" --folds 3 "${quick[@]}" --score r2 && says 'classes' 'accuracy'

# New samples of a neighbor graph, whose rows lack the self term of known samples: the reported R2
# is that of the model's predictions. The last samples are duplicates.
head -n 61 roll.csv >twice.csv && sed -n '2,21p' roll.csv >>twice.csv
npz roll.npz train="$(seq -s, 0 2 39)" val="$(seq -s, 1 2 39)" test="$(seq -s, 60 79)"
{ head -n 1 twice.csv && sed -n '62,81p' twice.csv; } >fresh.csv
r2() { # PREDICTIONS TRUTH: the last column of TRUTH is the target
  paste -d, <(tail -n +2 "$1" | cut -d, -f2) <(tail -n +2 "$2" | sed 's/.*,//') |
    awk -F, '{ e += ($1 - $2) ^ 2; s += $2; q += $2 ^ 2 } END { printf "%.12f", 1 - e / (q - s ^ 2 / NR) }'
}
for family in power inverse-laplacian kernel-pca; do
  run 0 select twice.csv --split roll.npz --setting inductive --kernel knn --neighbors 6 --json \
    --families $family --powers 2,4 --etas 0.9,0.99 --dimensions 4,8 --ridges 1,0.01 -o knn.model
  reported=$(sed -n '/"best"/,/}/s/.*"test": \([-0-9.e]*\).*/\1/p' out)
  run 0 predict knn.model fresh.csv -o fresh_out.csv
  awk -v a="$reported" -v b="$(r2 fresh_out.csv fresh.csv)" \
    'BEGIN { exit !(a != "" && (a - b) ^ 2 < 1e-16) }' ||
    fail "$family: R2 of select $reported, of the model $(r2 fresh_out.csv fresh.csv)"
done

# For several targets, fit and select compute the same R2. The 20 samples that are used neither for
# training nor for validation have no targets.
awk 'BEGIN { OFS = ","; print "x,z,u,v"
  for (i = 0; i < 60; ++i) { x = i * 37 % 60 / 60; z = i * 17 % 60 / 60
    print x, z, i < 40 ? 100 * (x + z) : "", i < 40 ? i * i % 7 : "" } }' >two.csv
seq 0 19 >two.train
npz two.npz train="$(seq -s, 0 19)" val="$(seq -s, 20 39)"
run 0 select two.csv --labels u,v --split two.npz --setting transductive --families power \
  --powers 2 --betas 0.1 --json
selected=$(sed -nE 's/.*"val": ([-0-9.e]+).*/\1/p' out | head -n 1)
run 0 fit two.csv --labels u,v --labeled two.train --kernel rbf --power 2 --beta 0.1 -o two.model --json
shows '"samples": 20'
fitted=$(sed -nE 's/.*"r2": ([-0-9.e]+).*/\1/p' out)
awk -v a="$selected" -v b="$fitted" 'BEGIN { exit !(a != "" && (a - b) ^ 2 < 1e-12) }' ||
  fail "R2 of select $selected, of fit $fitted"

# Class mass: off, on, or both as candidates; the model of the chosen point uses it.
run 0 select digits --per-class 4 --folds 2 "${quick[@]}" --class-mass on --json
is_json out
holds 9 '"class_mass": true' # 8 points, and the best of them again
run 0 select digits --per-class 4 --folds 2 "${quick[@]}" --class-mass both
shows '16 of 16 grid points'
run 0 select digits --per-class 4 --leave-one-out "${quick[@]}" --class-mass on -o mass.npz
shows 'class mass' '--class-mass'
fit_as_printed again.npz
run 0 predict mass.npz -o p.csv && run 0 predict again.npz -o q.csv
same p.csv q.csv
run 0 select "${karate[@]}" --split split.npz "${quick[@]}" --class-mass both --prior uniform
shows 'transductive: 16 of 16' 'inductive: 16 of 16'
run 2 select roll.csv --folds 3 "${quick[@]}" --class-mass on && says 'regression targets'
run 2 select "${karate[@]}" --split split.npz "${quick[@]}" --prior 1,2,3 && says '3 shares for'
run 2 select "${karate[@]}" --folds 3 --class-mass maybe && says 'maybe'
run 3 select "${karate[@]}" --folds 3 "${quick[@]}" --class-mass on && says 'every sample is labeled'

# Infeasible parameters are reported.
run 0 select "${karate[@]}" --split split.npz --families kernel-pca --dimensions 2,300 --betas 1
says 'd = 300 left out'
shows '1 parameter left out' '^kernel PCA d=300 .*positive eigenvalues'
run 0 select "${karate[@]}" --split split.npz --families kernel-pca --dimensions 2,300 --betas 1 --json
is_json out && shows '"left_out": \[$' '"reason": ".*positive eigenvalues'
run 0 select "${karate[@]}" --split split.npz --families label-propagation && shows 'chosen label'
run 0 select "${karate[@]}" --split split.npz --families label-propagation --json && is_json out
run 3 select "${karate[@]}" --split split.npz --families label-propagation --setting inductive
says 'label propagation' 'transductive'
printf 'a,label\n0,x\n1,y\n2,x\n3,y\n4,x\n5,y\n6,z\n7,x\n' >letters.csv
npz missing.npz train=0,1,2,3 val=4,6 test=5,7
run 0 select letters.csv --split missing.npz "${quick[@]}" && says 'warning.*class z'

# A point without evidence for most samples is not chosen for predicting the most frequent class:
# power 1 on a path reaches only the neighbors of labels. If it is the only choice, a warning says so.
{ for k in {0..118} {120..148}; do printf '%d %d\n' "$k" $((k + 1)); done; } >path.tsv
for k in {0..149}; do
  if ((k % 10 != 5)); then printf '\n'; elif ((k < 120)); then printf 'a\n'; else printf 'b\n'; fi
done >path.labels
path=(select path.tsv --labels path.labels --folds 5 --ridges 100,0.1)
run 0 "${path[@]}" --families power,inverse-laplacian --powers 1 --etas 0.99 -o path.npz
shows 'chosen inverse Laplacian eta=0.99' '^ties   2 of 4 points have the best score; ties are broken by'
! grep -q 'no evidence' err || fail "$last: $(cat err)"
run 0 "${path[@]}" --families power --powers 1 -o path.npz
says '15 of 15 held-out samples have no evidence' 'the chosen model: .* unlabeled samples have no evid'
shows '50\.00%' '^ties   2 of 2'
run 0 "${path[@]}" --families power --powers 1 --json && is_json out
shows '"tied": 2' '"val": 0\.5' 'held-out samples have no evidence'
run 0 fit path.tsv --labels path.labels --power 1 -o path.npz
says 'warning: .* of 135 unlabeled samples have no evidence.*label more'
run 0 predict path.npz -o p.csv && says 'warning: .* of 150 samples have no evidence'
run 0 predict path.npz -o p.csv --json && is_json out && shows '"warnings": \[$'
run 0 fit path.tsv --labels path.labels -o path.npz
! grep -q 'warning' err || fail "$last: $(cat err)"

# Literal kernel PCA, which includes samples without evidence and splits equal eigenvalues.
printf '%%%%MatrixMarket matrix coordinate real symmetric\n15 15 15\n' >triangles.mtx
for k in 1 4 7 10 13; do
  printf '%d %d 1\n' $((k + 1)) $k $((k + 2)) $k $((k + 2)) $((k + 1))
done >>triangles.mtx
for k in 0 1 0 1 0; do printf '%s\n' $k $k $k; done >triangles.labels
npz triangles.npz train=0,3,6 val=1,4,7 test=2,5,8,9
triangles=(select triangles.mtx --labels triangles.labels --split triangles.npz --setting
  transductive --kernel symmetric --families kernel-pca --ridges 1)
run 0 "${triangles[@]}" --dimensions 1,2 --json -o triangles.model
says 'd = 1, 2 would split a set of equal eigenvalues'
holds 3 '"val": 1\.0'
holds 3 '"test": 1\.0|"test": 0\.75'
holds 3 '"test_no_evidence": 1'
run 0 predict triangles.model -o p.csv
[[ $(cut -d, -f2,3 p.csv | head -n 10 | tail -n 9 | xargs) == \
  '0,1 0,1 0,1 1,1 1,1 1,1 0,1 0,1 0,1' ]] || fail "triangles.model: $(cat p.csv)"
run 0 "${triangles[@]}" --dimensions 1,4 && says 'd = 4 left out: the kernel has 3 positive' 'reach'
run 0 "${triangles[@]}" --dimensions 1,4 --literal-top-d && says 'd = 1 splits a set of equal'

# The measure, as in fit.
run 0 select karate --split split.npz --kernel probability --measure uniform "${quick[@]}" --json
scores >one
run 0 select karate --split split.npz --kernel probability "${quick[@]}" --json && scores >two
! cmp -s one two || fail '--measure makes no difference'
run 0 select karate --split split.npz --kernel probability --measure degree "${quick[@]}" --json
scores >one && same one two
run 3 select digits --per-class 4 --folds 2 "${quick[@]}" --measure degree && says 'a single graph kernel'
run 0 select roll.csv --folds 3 "${quick[@]}" --json && scores >one
run 0 select roll.csv --folds 3 "${quick[@]}" --json --no-intercept && scores >two
! cmp -s one two || fail '--no-intercept makes no difference'

# A heat map.
run 0 select "${karate[@]}" --folds 4 "${quick[@]}" --plot map.svg
grep -q '<svg' map.svg || fail 'map.svg is not an SVG'
shows 'plot +map\.svg'
run 2 select "${karate[@]}" --folds 4 "${quick[@]}" --plot map.png && says 'svg'

# A bad grid is a usage error, detected before any data is read.
bad_grid --betas 0 'beta = 0' 'positive'
bad_grid --betas 1,-2 'beta = -2'
bad_grid --betas nan 'beta = nan'
bad_grid --betas 1,1 'beta = 1 is listed twice'
bad_grid --betas one 'betas' 'one'
bad_grid --ridges 0 'ridge = 0' 'positive'
bad_grid --ridges 1,1 'ridge = 1 is listed twice'
bad_grid --ridges '' 'ridges' 'empty'
bad_grid --betas '' 'betas' 'empty'
bad_grid --etas 1 'eta = 1' 'between 0 and 1'
bad_grid --etas 0 'eta = 0'
bad_grid --powers 0.5 'p = 0\.5'
bad_grid --dimensions 0 'd = 0'
bad_grid --dimensions 2.5 'dimensions' '2\.5'
bad_grid --times -1 't = -1'
bad_grid --propagation-etas 1 'eta of label propagation = 1'
bad_grid --propagation-steps 0 'T = 0'
bad_grid --polynomial 1,x 'polynomial' "'x'"
bad_grid --polynomial 0,0 'polynomial' 'not all zero'
bad_grid --families diffusion 'diffusion' '--times'
bad_grid --families cubic 'cubic'
bad_grid --score auc 'auc'
bad_grid --folds 1 'folds' '2 or more'
bad_grid --top 0 'top'

# Validation methods exclude one another.
run 2 select "${karate[@]}" --split split.npz --folds 3 && says 'one of --split, --folds'
run 2 select "${karate[@]}" --leave-one-out --folds 3 && says 'one of --split, --folds'
run 2 select "${karate[@]}" --setting inductive && says '--setting' 'only with --split'
run 2 select "${karate[@]}" --split split.npz --per-class 2 && says '--per-class'
run 2 select "${karate[@]}" --split split.npz -o split.npz && says 'split\.npz is also an input'

# Data that selection cannot use: exit 3, nothing written.
run 2 select "${karate[@]}" --folds 40 "${quick[@]}" -o none.npz && says '40 given, but only 34 samples' '34'
run 3 select "${karate[@]}" --split absent.npz -o none.npz && says 'absent\.npz'
npz bad.npz train=0,1,33 val=1,4
run 3 select "${karate[@]}" --split bad.npz -o none.npz && says 'bad\.npz' 'index 1' 'train' 'val'
npz bad.npz train=0,33 val=4,34
run 3 select "${karate[@]}" --split bad.npz -o none.npz && says 'bad\.npz' '34' '0 to 33'
npz bad.npz train=0,33 val=4,-1
run 3 select "${karate[@]}" --split bad.npz -o none.npz && says 'bad\.npz' '-1'
npz bad.npz train=0,33
run 3 select "${karate[@]}" --split bad.npz -o none.npz && says 'bad\.npz' 'val'
npz bad.npz train=0,1 val=33,4
run 3 select "${karate[@]}" --split bad.npz -o none.npz && says 'all 2 labeled samples'
printf 'a,label\n0,x\n1,y\n2,\n3,\n4,x\n5,y\n' >partly.csv
npz hidden.npz train=0,1,4 val=2,3
run 3 select partly.csv --split hidden.npz --families power -o none.npz && says 'val' 'label'
npz hidden.npz train=0,1,2 val=4,5
run 3 select partly.csv --split hidden.npz --families power -o none.npz && says '2' 'label'
[[ ! -e none.npz ]] || fail 'none.npz was written'

# The kernel uses the planned precision: if only single precision fits in the memory budget,
# lambda_1 is that of the rounded points.
run 0 data make two-moons -o many.npz --samples 1500 --per-class 150
single=(select many.npz --kernel linear --families power --powers 2 --betas 1 --threads 1 --json)
least() { # FLAG: bytes of the smallest strategy with or without single precision
  "$stkr" plan --points 1500x2 --labeled 300 --classes 2 --select --kernel linear --families power \
    --powers 2 --betas 1 --threads 1 --memory 1MB --json |
    sed -nE 's/.*"bytes": ([0-9]+).*/\1/p; s/.*"single_precision": ([a-z]+).*/\1/p' |
    paste - - | sort -n | sed -n "s/\t$1//p" | head -n 1
}
lambda() { sed -nE 's/.*"lambda_1": ([-0-9.e]+).*/\1/p' out | head -n 1; }
(($(least true) < $(least false))) || fail "single $(least true), double $(least false)"
run 0 "${single[@]}" --precision double && in_double=$(lambda)
run 0 "${single[@]}" --precision single && in_single=$(lambda)
# The plan from sizes does not include feature names.
run 0 "${single[@]}" --memory $(($(least true) + 1000)) && says 'memory: .*single'
[[ $in_single != "$in_double" && $(lambda) == "$in_single" ]] ||
  fail "lambda_1 $in_double in double, $in_single in single, $(lambda) when single was planned"

# Interrupted within one kernel product, which would take a minute.
run 0 data make two-moons -o large.npz --samples 400000 --per-class 4
"$stkr" select large.npz --length-scale 0.1 --families power --powers 2 --betas 1 --threads 1 \
  >out 2>err &
sleep 3
kill -TERM $! # not INT, which bash lets background jobs ignore
for ((k = 0; k < 100; ++k)); do kill -0 $! 2>gone && sleep 0.1; done
kill -KILL $! 2>gone
wait $!
code=$?
[[ $code == 130 ]] || fail "interrupted: exit $code: $(cat err)"
