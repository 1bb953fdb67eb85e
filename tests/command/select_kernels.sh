# shellcheck shell=bash disable=SC2054,SC2154
# Selection among several kernels and their sums.
# shellcheck source=/dev/null
source "${checks%/*}/selection_checks"

npz split.npz train=0,1,2,3,32,33,30,31 val=4,5,28,29 test=8,9,24,25

# Several kernels: one grid per kernel, ranked together; the printed options give the same model.
one=(--families power --powers 2 --betas 1,0.1)
run 0 select digits --per-class 4 --folds 2 "${one[@]}" --kernels rbf,cosine,laplacian \
  --length-scales 0.5x,1x -o kernels.npz
shows '10 of 10 grid points' 'Best of each kernel' 'rbf 0\.5x' 'cosine' 'laplacian 1x' \
  'chosen (rbf|cosine|laplacian)' 'fit    stkr fit digits .*--kernel'
fit_as_printed again.npz
run 0 predict kernels.npz -o p.csv && run 0 predict again.npz -o q.csv
same p.csv q.csv
run 0 select digits --per-class 4 --folds 2 "${one[@]}" --json && scores >one
run 0 select digits --per-class 4 --folds 2 "${one[@]}" --json --kernels rbf --length-scales 1x
scores >two && same one two
shows '"fit_options": "--kernel rbf --transform'
run 0 select "${karate[0]}" --split split.npz --json "${quick[@]}" --kernels symmetric,lazy-walk
is_json out
# 8 points for two kernels, the best, and the list of both kernels, in both settings.
holds 38 '"kernel": "(symmetric|lazy-walk)"'
shows '"fit_options": "--kernel'
run 0 select "${karate[0]}" --folds 4 "${quick[@]}" --kernels symmetric,lazy-walk --plot map.svg
grep -qE 'symmetric|lazy-walk' map.svg || fail 'map.svg does not name the kernel'

# A kernel that cannot be built is omitted; if no kernel can be built, that is an error.
{ printf 'a,label\n1,x\n' && for k in {1..7}; do printf '1,x\n1,y\n'; done; } >constant.csv
run 0 select constant.csv --folds 2 "${one[@]}" --kernels rbf,linear && says 'kernel rbf left out'
shows 'grid points .*, 1 kernel left out' '^kernel rbf .*duplicates'
run 0 select constant.csv --folds 2 "${one[@]}" --kernels rbf,linear --json && is_json out
shows '"left_out": ".*duplicates'
run 3 select constant.csv --folds 2 "${one[@]}" --kernels rbf,laplacian -o none.npz
says 'duplicates'

# Neither the graph nor the node features alone separate all classes; their sum does.
run 0 data make block-model -o mixed.npz --blocks 60,60,60,60 --p-in 0.15 --p-out 0.01 \
  --features 4 --noise 0.3 --per-class 8
wide=(--families power,kernel-pca --powers 2,6 --dimensions 4 --betas 1,0.1,0.01)
# hidden KIND OPTIONS...: accuracy in percent of the selected model on the hidden labels.
hidden() {
  local kind=$1
  shift
  run 0 select mixed.npz --kind "$kind" "${wide[@]}" "$@"
  cp out selected
  fit_as_printed model.npz
  sed -nE 's/.*accuracy ([0-9]+)\..*/\1/p' out
}
graph=$(hidden graph) features=$(hidden points --length-scales 1x,3x,6x)
both=$(hidden graph --mixes 0,0.25,0.5,0.75,1 --length-scales 1x,3x,6x)
grep -qE '^chosen 0\.(25|5|75) lazy-walk \+ 0\.(25|5|75) rbf' selected ||
  fail "no inner weight: $(grep chosen selected)"
((both > graph + 30 && both > features + 30)) ||
  fail "graph $graph%, features $features%, both $both%"
run 0 select mixed.npz "${quick[@]}" --mixes 0,0.5 --length-scales 0.5x,1x --add-kernel laplacian
shows '0\.5 lazy-walk \+ 0\.5 laplacian 0\.5x'
run 0 select mixed.npz "${quick[@]}" --smoothings 0,1,3
shows 'cosine smooth=1' 'cosine smooth=3'
run 0 select mixed.npz "${quick[@]}" --smoothings 1,2 --mixes 0,0.5,1 -o smooth.model
shows '0\.5 lazy-walk \+ 0\.5 cosine smooth=2'
fit_as_printed model.npz
run 2 select mixed.npz "${quick[@]}" --smoothings 1,-1 && says 'smoothing = -1'

# Bad kernel lists.
bad_grid --kernels cubic 'cubic'
bad_grid --kernels rbf,rbf 'rbf is listed twice'
bad_grid --length-scales 1x,0 'length scale = 0'
bad_grid --length-scales 0x "'0x' is not a length scale"
bad_grid --length-scales one "'one' is not a length scale"
bad_grid --mixes 0,1.5 'mix = 1\.5' 'from 0 to 1'
bad_grid --mixes -0.5 'mix = -0\.5'
bad_grid --mixes nan 'mix = nan'
run 2 select digits --kernel rbf --kernels rbf,cosine && says '--kernels' 'cannot be combined'
run 2 select digits --length-scale 1 --length-scales 1,2 && says '--length-scales' 'cannot be combined'
run 2 select "${karate[@]}" --features digits && says '--features' '--mixes'
run 3 select digits --per-class 4 --mixes 0,0.5 && says 'name one kernel to add'
run 2 select "${karate[@]}" --mixes 0,0.5,1 && says 'the graph has no node features'

# The median heuristic, together with the default scale.
run 0 select digits --per-class 3 --folds 3 --families power --powers 2 --betas 1 \
  --length-scales 1x,median -o median.npz
shows 'rbf 1x' 'rbf median'
run 0 fit digits -o median.npz --per-class 3 --length-scale median
shows 'length scale: the median distance between points'
run 2 fit digits -o none.npz --per-class 3 --length-scale middle && says 'median'
