# shellcheck shell=bash disable=SC2154
make_moons
fixed=(--kernel rbf --transform inverse-laplacian --ridge 0.1)
run 0 fit moons.csv -o moons.npz
shows '^data .*120 points x 2 features, 2 classes, 8 labeled' \
  '^kernel .*best of 3 by the log likelihood of the labels left out: .*; next ' \
  '^transform .*by the same score' '^solver .*converged' '^repeat with +stkr fit moons\.csv .*--kernel .* -o ' \
  '^model +moons.npz'
! grep -qE '[0-9]\.[0-9]{8,}' out || fail "$last shows long numbers: $(cat out)"
# The printed command repeats the choice, for known and new samples.
eval "repeat=($(sed -n 's/^repeat with *//p' out))"
[[ ${repeat[*]: -2} == '-o moons.npz' ]] || fail "incomplete: ${repeat[*]}"
run 0 "${repeat[@]:1:${#repeat[@]}-3}" -o again.npz && ! grep -q 'best of' out || fail 'chosen again'
run 0 predict moons.npz -o one.csv && run 0 predict again.npz -o two.csv
cut -d, -f2 one.csv >one.txt && cut -d, -f2 two.csv >two.txt && same one.txt two.txt
run 0 fit moons.csv -o t.npz --json && is_json out && shows '"scored_by"' '"options": "--kernel'
run 0 fit moons.csv -o t.npz "${fixed[@]}" && shows '^kernel .*rbf' '^transform +inverse-laplacian'
# With one label per class, the choice is fixed.
run 0 fit digits -o t.npz --per-class 1 && shows 'too few labels to leave one out' 'poisson eta=1'
run 0 fit moons.csv -o t.npz --kernel knn --transform learned
shows '^transform .*inverse-laplacian' 'repeat with .*--ridge'
run 0 fit moons.csv -o t.npz --kernel knn --transform '0.5*poisson(1)@0.01 + 0.5*power(2)@0.1'
shows '^transform +average of poisson eta=1 and power p=2'
run 2 fit moons.csv -o t.npz --transform 'power(2)@' && says 'a ridge'
run 0 fit moons.csv -o t.npz --kernel knn --transform 'through(0.5:0.01,1:1)'
shows 'through\(0.5:0.01, 1:1\)'
run 2 fit moons.csv -o t.npz --transform 'through(0.5:1,1:0.5)' && says 'not less for a larger lambda'
run 2 fit moons.csv -o t.npz --transform through && says 'needs pairs.*through\(0.1:0.01, 1:1\)'
run 0 fit digits -o digits.npz --per-class 5 --method kernel-ridge
shows '50 labeled' 'accuracy [0-9.]+% on 1,747 samples'
run 0 fit karate -o karate.npz --per-class 2 --kernel lazy-walk --threads 64
shows 'graph of 34 nodes' 'lazy-walk'
run 0 data make swiss-roll -o roll.csv --samples 60
run 0 fit roll.csv -o roll.npz --kernel matern32 && shows '1 target, 60 labeled'
for transform in '--power 3' '--time 2' '--d 3' '--transform polynomial --coefficients 0,1,1' \
  '--transform reciprocal --coefficients 1,-0.5 --r 2' '--eta 0.9'; do
  # shellcheck disable=SC2086
  run 0 fit moons.csv -o t.npz $transform
done
for method in kernel-pca kernel-ridge label-propagation; do
  run 0 fit moons.csv -o t.npz --method $method
done
run 0 fit moons.csv -o t.npz --precision single --center
shows '^precision .*products off by [0-9.]+e-[0-9]+ relative on 64 sampled rows'
run 0 fit moons.csv -o t.npz --precision single --json
shows 'products off by [0-9.]+e-[0-9]+ relative on 64 sampled rows'

# Without leading eigenvectors, eta may be 1; a model keeps that for new samples.
run 0 fit moons.csv -o t.npz --kernel knn --transform poisson
shows '^transform +poisson eta=1'
run 0 predict t.npz -o seen.csv && run 0 predict t.npz moons.csv -o again.csv
cut -d, -f2 seen.csv >seen.txt && cut -d, -f2 again.csv >again.txt
same seen.txt again.txt
run 2 fit moons.csv -o t.npz --kernel knn --eta 1 && says 'eta = 1 is at or above .* or transform poisson'
run 3 fit moons.csv -o t.npz --kernel linear --transform poisson && says 'leading eigenvectors, and .* not known'
run 3 fit moons.csv -o t.npz --transform poisson --center && says 'not known'
run 2 fit moons.csv -o t.npz --transform poisson --eta 1.1 && says 'at most 1'

# For conjugate gradients, the preconditioner is reported.
run 0 fit digits -o t.npz --power 1 --beta 1e-8 --solver cg
shows '^preconditioner +nystrom, rank [0-9]+: [0-9]+ of the products'
run 0 fit digits -o t.npz --power 1 --beta 1e-8 --solver cg --json
shows '"preconditioner": "nystrom, rank [0-9]+"' '"preconditioner_products": [0-9]+'
printf 'a,b,label\n1,1,a\n1,1,b\n1,1,a\n' >constant.csv
run 3 fit constant.csv -o t.npz --kernel rbf && says 'constant' 'set the length scale'

# The same result for any number of threads and for the same seed.
for threads in 1 2; do
  run 0 fit digits -o d$threads.npz --per-class 3 --power 4 --threads $threads --seed 7
  run 0 predict d$threads.npz -o d$threads.csv --threads $threads
done
same d1.npz d2.npz
same d1.csv d2.csv
run 0 fit digits -o d3.npz --per-class 3 --power 4 --seed 8
! cmp -s d1.npz d3.npz || fail 'the seed makes no difference'

# Labels as a column, a file, or complete labels with an index, where -1 is a class.
printf 'a,b,kind\n0,0,x\n0,1,x\n5,5,y\n5,6,\n' >column.csv
run 0 fit column.csv -o c.npz --labels kind && shows '2 classes, 3 labeled'
printf 'a,b\n0,0\n0,1\n5,5\n5,6\n' >plain.csv
printf 'x\nx\ny\n\n' >labels.txt
run 0 fit plain.csv -o f.npz --labels labels.txt && shows '2 classes, 3 labeled'
run 0 predict c.npz -o c.csv
run 0 predict f.npz -o f.csv
same c.csv f.csv
printf 'a,b,label\n0,0,-1\n0,1,-1\n5,5,1\n5,6,1\n' >signs.csv
printf '0\n3\n' >index.txt
run 0 fit signs.csv -o s.npz --labeled index.txt && shows '2 classes, 2 labeled' 'on 2 samples'
run 0 predict s.npz -o s.csv
[[ $(cut -d, -f2 s.csv | tr '\n' ' ') == 'prediction -1 -1 1 1 ' ]] || fail "signs: $(cat s.csv)"
run 3 fit signs.csv -o n.npz && says "csv: all 2 labeled samples are of class '1'"
run 0 fit signs.csv -o s.npz --minus-one-is-class && shows '2 classes, 4 labeled'

# Components without a label and nodes without an edge are counted and listed, and never give NaN.
# A path with labeled nodes, a pair, and the isolated node 6.
printf '%%%%MatrixMarket matrix coordinate real symmetric\n7 7 4\n2 1 1\n3 2 1\n4 3 1\n6 5 1\n' >parts.mtx
printf 'x\n\ny\ny\n\n\n\n' >parts.labels
for method in stkr kernel-pca kernel-ridge label-propagation; do
  run 0 fit parts.mtx --labels parts.labels -o parts.npz --method $method \
    --list-unreached unreached.csv
  shows '^components +3, 2 of them without a label: 3 samples' '^no evidence +[3-7] that no label reaches: predicted by the prior$' \
    '^unreached +unreached\.csv'
  [[ $(head -n 1 unreached.csv) == index,component,component_size ]] || fail 'unreached.csv header'
  [[ $(tail -n 3 unreached.csv | tr '\n' ' ') == '4,1,2 5,1,2 6,2,1 ' ]] ||
    fail "$method: $(cat unreached.csv)"
  run 0 predict parts.npz -o parts.csv --list-unreached again.csv
  [[ $(tail -n 3 again.csv | tr '\n' ' ') == '4,, 5,, 6,, ' ]] || fail "$(cat again.csv)"
  grep -qE '^[456],y,0,' parts.csv || fail "$method: $(cat parts.csv)"
  ! grep -qi nan parts.csv || fail "$method: NaN in $(cat parts.csv)"
done
run 0 fit parts.mtx --labels parts.labels -o parts.npz --json
is_json out
shows '"components":' '"without_label": 2' '"samples_without_label": 3' '"without_evidence": 3'
run 0 fit moons.csv -o t.npz --kernel rbf && ! grep -q '^components' out || fail 'components of points'
run 2 fit moons.csv -o t.npz --list-unreached t.npz && says '--list-unreached'
run 2 fit moons.csv -o t.npz --list-unreached moons.csv && says 'also an input'

# Class-mass normalization: predictions move to the prior, with the same factors for new samples.
share() { awk -F, -v c="$2" 'NR > 1 { n += $2 == c } END { printf "%d", 100 * n / (NR - 1) }' "$1"; }
awk 'BEGIN { OFS = ","; print "x,y,label"
  for (i = 0; i < 160; ++i) {
    label = i % 2 ? (i < 4 ? "b" : "") : (i < 36 ? "a" : "")
    print i % 2 * 0.7 + i * 37 % 80 / 80, i * 53 % 80 / 80, label } }' >clouds.csv
run 0 fit clouds.csv "${fixed[@]}" -o plain.npz && run 0 predict plain.npz -o plain.csv
for threads in 1 2; do
  run 0 fit clouds.csv "${fixed[@]}" -o mass$threads.npz --class-mass --prior uniform --threads $threads
done
shows '^class mass +a x0\.[0-9]+, b x[1-9]'
same mass1.npz mass2.npz
run 0 predict mass1.npz -o mass.csv
[[ $(share plain.csv b) -lt 30 ]] || fail "without class mass $(share plain.csv b)% b"
[[ $(share mass.csv b) -ge 34 && $(share mass.csv b) -le 54 ]] ||
  fail "with class mass $(share mass.csv b)% b"
run 0 predict mass1.npz clouds.csv -o new.csv
cut -d, -f1-3 mass.csv >mass.txt && cut -d, -f1-3 new.csv >new.txt
same mass.txt new.txt
awk -F, 'NR > 1 && $3 == 1 && ($5 > $6) != ($2 == "a") { exit 1 }' mass.csv ||
  fail 'a prediction does not have the highest score'
run 0 fit clouds.csv -o t.npz --class-mass --prior 0.8,0.2 --json && is_json out
shows '"class_mass"' '"factors"'
run 0 predict t.npz -o t.csv
[[ $(share t.csv b) -le 30 ]] || fail "$(share t.csv b)% b with a prior of 0.2"
run 0 fit moons.csv -o t.npz --prior 0.2,0.8

run 2 fit clouds.csv -o n.npz --prior 1,1,1 && says '3 shares for 2 classes' 'a, b'
run 2 fit clouds.csv -o n.npz --prior 1,0 && says "class 'b' is 0"
run 2 fit clouds.csv -o n.npz --prior 1,-1 && says '--prior' "'-1'"
run 2 fit clouds.csv -o n.npz --prior 0,0 && says 'not all 0'
run 2 fit clouds.csv -o n.npz --prior even && says "'even'" 'uniform'
run 2 fit clouds.csv -o n.npz --prior 1,,1 && says "''"
run 2 fit roll.csv -o n.npz --class-mass && says 'regression targets'
run 2 fit roll.csv -o n.npz --prior uniform && says 'need classes'
[[ ! -e n.npz ]] || fail 'n.npz was written'
# Length scales in units of the default, and sums of kernels.
run 0 fit moons.csv -o one.npz --kernel rbf --length-scale 1x && run 0 fit moons.csv -o two.npz --kernel rbf
run 0 predict one.npz -o one.csv && run 0 predict two.npz -o two.csv
same one.csv two.csv
run 0 fit moons.csv -o t.npz --length-scale 0.5x && shows 'times 0\.5'
run 0 fit moons.csv -o t.npz --add-kernel laplacian:0.25 --add-kernel cosine
shows '^kernel +0\.375 x rbf' '^added kernel +0\.25 x laplacian' '^added kernel +0\.375 x cosine'
run 0 fit moons.csv -o one.npz --kernel laplacian "${fixed[@]:2}"
run 0 fit moons.csv -o two.npz --add-kernel laplacian:1 "${fixed[@]:2}"
run 0 predict one.npz -o one.csv && run 0 predict two.npz -o two.csv
same one.csv two.csv

# Node features of a graph are not used unless requested.
make_attributed
run 0 fit mixed.npz -o graph.npz --kernel lazy-walk && says 'note.*node features' && shows 'graph, lazy-walk'
run 0 fit mixed.npz -o graph.npz && shows 'best of 9 by the log likelihood of the labels left out' 'repeat with'
run 0 fit mixed.npz -o sum.npz --add-kernel rbf:0.4
shows '3 features per node' '^kernel +0\.6 x graph, lazy-walk' '^added kernel +0\.4 x rbf'
! grep -q note err || fail "the features are used, yet: $(cat err)"
run 0 data convert mixed.npz features.csv --kind points
run 0 data convert mixed.npz bare.mtx && shows 'node features'
run 0 data convert mixed.npz copy.npz && shows '3 features per node'
run 0 fit copy.npz -o again.npz --add-kernel rbf:0.4
run 0 predict sum.npz -o sum.csv && run 0 predict again.npz -o again.csv
same sum.csv again.csv
run 0 fit bare.mtx --labels bare.labels.txt --features features.csv -o again.npz \
  --add-kernel rbf:0.4
run 0 predict again.npz -o again.csv
same sum.csv again.csv
run 0 data info bare.mtx --features features.csv --json && shows '"features": 3'

# Node features averaged over the graph, beside its kernel or alone.
run 0 fit mixed.npz -o smooth.npz --add-kernel cosine:0.4:smooth=2
shows '^kernel +0\.6 x graph' '^added kernel +0\.4 x cosine of node features smoothed 2 times'
run 0 fit mixed.npz -o smooth.npz --add-kernel cosine:1:smooth=2
shows '^kernel +cosine of node features smoothed 2 times'
run 0 fit mixed.npz -o smooth.npz --add-kernel rbf:1:length-scale=2x:smooth=1
shows '^kernel +rbf\(.*of node features smoothed once, degree-normalized'

# Invalid sums of kernels.
bad_sum() { # CODE OPTIONS... -- PATTERNS...
  local code=$1 options=()
  shift
  while [[ $1 != -- ]]; do options+=("$1") && shift; done
  shift
  run "$code" fit "${options[@]}" -o none.npz
  says "$@"
}
bad_sum 2 mixed.npz --add-kernel cubic -- "kernel 'cubic' is unknown" 'rbf'
bad_sum 2 mixed.npz --add-kernel rbf:-0.5 -- 'the share is -0\.5' '0 to 1'
bad_sum 2 mixed.npz --add-kernel rbf:1.5 -- 'the share is 1\.5'
bad_sum 2 mixed.npz --add-kernel rbf:half -- "'half' is not understood"
bad_sum 2 mixed.npz --add-kernel rbf:0.7 --add-kernel linear:0.7 -- 'sum to more than 1'
bad_sum 2 mixed.npz --kernel lazy-walk --features features.csv -- '--features' '--add-kernel'
bad_sum 2 mixed.npz --add-kernel cosine:smooth=-1 -- "'smooth=-1' is not understood" '0 to 1000'
bad_sum 2 mixed.npz --add-kernel cosine:smooth=two -- "'smooth=two'"
bad_sum 2 mixed.npz --add-kernel knn:smooth=1 -- 'smooth' 'point kernels'
bad_sum 2 moons.csv --add-kernel cosine:smooth=1 -- 'over the edges of a graph'
bad_sum 3 mixed.npz --features moons.csv --add-kernel cosine:smooth=1 -- '120 samples' '80 nodes'
bad_sum 2 moons.csv --length-scale 0x -- 'length-scale' 'positive'
bad_sum 2 moons.csv --length-scale 2y -- "'2y'"
bad_sum 3 moons.csv --features features.csv --add-kernel rbf -- 'add the columns to the points'
bad_sum 2 bare.mtx --labels bare.labels.txt --add-kernel rbf -- 'the graph has no node features'
bad_sum 3 mixed.npz --features moons.csv --add-kernel rbf -- 'moons\.csv' '120 samples' '80 nodes'
bad_sum 3 mixed.npz --features absent.csv --add-kernel rbf -- 'absent\.csv'
bad_sum 2 moons.csv --add-kernel lazy-walk -- 'does not apply to points'
[[ ! -e none.npz ]] || fail 'none.npz was written'

# The ridge in units of the kernel, or as the paper's beta.
run 0 fit moons.csv -o t.npz "${fixed[@]:0:4}" --solver direct && shows '^ridge .*of the mean diagonal.*by the same score'
run 0 fit roll.csv -o t.npz && shows 'by the log likelihood of the numbers left out' '^ridge .*by the same score'
run 0 fit moons.csv -o one.npz "${fixed[@]:0:4}" --ridge 0.02 --json && is_json out && shows '"ridge": 0\.02'
beta=$(sed -nE 's/^  "beta": ([-0-9.e]+).*/\1/p' out)
run 0 fit moons.csv -o two.npz "${fixed[@]:0:4}" --beta "$beta" --json
awk -v r="$(sed -nE 's/.*"ridge": ([-0-9.e]+).*/\1/p' out)" 'BEGIN { exit !((r - 0.02) ^ 2 < 1e-20) }' ||
  fail "ridge 0.02 is beta $beta: $(cat out)"
run 0 predict one.npz -o one.csv && run 0 predict two.npz -o two.csv
cut -d, -f1-4 one.csv >one.txt && cut -d, -f1-4 two.csv >two.txt
same one.txt two.txt
run 0 fit moons.csv -o t.npz "${fixed[@]:0:4}" --beta 0.5 && shows '^beta +0\.5$'
# The relative ridge does not depend on the unit of the data: points scaled by ten give the same
# predictions.
awk -F, 'NR > 1 { print 10 * $1 "," 10 * $2 "," $3 }' moons.csv >large.csv
sed -i '1i x,y,label' large.csv
run 0 fit moons.csv -o one.npz --kernel linear --power 1 --no-normalize --ridge 0.3
run 0 fit large.csv -o two.npz --kernel linear --power 1 --no-normalize --ridge 0.3
run 0 predict one.npz -o one.csv && run 0 predict two.npz -o two.csv
cut -d, -f1-4 one.csv >one.txt && cut -d, -f1-4 two.csv >two.txt
same one.txt two.txt
run 2 fit moons.csv -o n.npz --ridge 0 && says 'ridge = 0' 'positive'
run 2 fit moons.csv -o n.npz --beta -1 && says 'beta = -1' 'positive'

# Three triangles, two of them with a label: the third is not used, and all equal eigenvalues are
# included, unless the literal definition is requested.
printf '%%%%MatrixMarket matrix coordinate real symmetric\n9 9 9\n' >triangles.mtx
for k in 1 4 7; do
  printf '%d %d 1\n' $((k + 1)) $k $((k + 2)) $k $((k + 2)) $((k + 1))
done >>triangles.mtx
printf 'x\n\n\ny\n\n\n\n\n\n' >triangles.labels
pca=(triangles.mtx --labels triangles.labels --kernel symmetric --method kernel-pca --d 1)
for seed in 1 2 3; do
  run 0 fit "${pca[@]}" -o t.npz --seed $seed
  says 'd = 1 would split a set of equal eigenvalues, so 2 eigenvectors are used'
  run 0 predict t.npz -o t.csv
  [[ $(cut -d, -f2,3 t.csv | tail -n 9 | head -n 6 | xargs) == 'x,1 x,1 x,1 y,1 y,1 y,1' ]] ||
    fail "kernel PCA, seed $seed: $(cat t.csv)"
done
run 0 fit "${pca[@]:0:7}" --d 2 -o t.npz --literal-top-d
says 'd = 2 splits a set of equal eigenvalues' 'seed'

# The measure of a graph: kernel probability weights nodes by degree, as in its proposition.
run 0 fit karate -o one.npz --per-class 3 --kernel probability && shows '^measure +degree'
run 0 predict one.npz -o one.csv
run 0 fit karate -o two.npz --per-class 3 --kernel probability --measure degree
run 0 predict two.npz -o two.csv
same one.csv two.csv
run 0 fit karate -o two.npz --per-class 3 --kernel probability --measure uniform
! grep -q '^measure' out || fail "a uniform measure: $(cat out)"
run 0 predict two.npz -o two.csv
! cmp -s one.csv two.csv || fail '--measure makes no difference'
run 0 fit karate -o t.npz --per-class 3 --kernel lazy-walk --measure degree
shows '^measure +degree$'
run 3 fit moons.csv -o n.npz --kernel rbf --measure degree && says 'it needs a single graph kernel'
[[ ! -e n.npz ]] || fail 'n.npz was written'

# A picture of s.
run 0 fit moons.csv -o t.npz --kernel knn --transform learned --plot-transform s.svg
grep -q '<svg' s.svg && grep -q 'M = ' s.svg || fail "no picture of s: $(head -c 300 s.svg)"
run 0 fit digits -o t.npz --per-class 5 --plot-transform s.svg  # without options: an average
grep -q 'average of fits' s.svg || fail "no picture of the average: $(head -c 300 s.svg)"
run 2 fit moons.csv -o t.npz --plot-transform s.png && says 'ends in .svg'
run 2 fit moons.csv -o t.npz --method label-propagation --plot-transform s.svg && says 'no transform'
