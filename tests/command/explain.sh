# shellcheck shell=bash disable=SC2154
# What the data say: a verdict, numbers and a page; parts that cannot be known are marked, and nothing ends the others.
run 0 explain digits --per-class 10 --html digits.html
shows '^- Expect about .*% wrong' '^- Transform: ' '^- Ridge: ' '^suggestion' '^full selection' '^no fit' \
  'Theorem 3 .*vacuous' '^page +digits.html'
grep -q '<svg' digits.html || fail 'a page without pictures'
# Following the advice does what it says.
follow=$(sed -nE 's/^follow it with +stkr fit (.*) -o model.npz$/\1/p' out)
[[ $follow == 'digits --per-class 10 '* ]] || fail "follow: $follow"
hidden=$(awk '/^suggestion/ {print $NF}' out)
eval "run 0 fit $follow -o advice.npz --json"
accuracy=$(grep -oE '"accuracy": [0-9.]+' out | grep -oE '[0-9.]+$')
awk -v a="$accuracy" -v e="${hidden%\%}" 'BEGIN {d = 100 * (1 - a) - e; exit !(d < 0.06 && d > -0.06)}' ||
  fail "the advice promises $hidden wrong, its fit has an accuracy of $accuracy"

run 0 explain digits --per-class 5 --json --no-curves && is_json out
shows '"verdict"' '"plausible_transforms"' '"kappa_squared"' '"vacuous": true' '"semidefinite": true'
# The same for any number of threads.
strip() { sed -E 's/"seconds": [0-9.e-]+//' "$1"; }
run 0 explain digits --per-class 5 --json --no-curves --threads 1 && strip out >one.json
run 0 explain digits --per-class 5 --json --no-curves --threads 2 && strip out >two.json
same one.json two.json

# The kernel, the method and the labels of a model.
run 0 fit digits -o model.npz --per-class 5 --kernel rbf --power 2 --ridge 0.1
run 0 explain digits model.npz --no-curves && shows '^given fit' '^Kernel +rbf' '50 labeled'
run 0 data make two-moons -o moons.csv --samples 200 --per-class 8
run 0 explain moons.csv model.npz --no-curves && says 'moons.csv: its samples or labels are not those that model.npz was fitted on'
run 0 fit - -o piped.npz --format csv <moons.csv
run 0 explain moons.csv piped.npz --no-curves && shows '^given fit'

# Numbers, graphs, and kernels that are not positive semidefinite.
run 0 data make swiss-roll -o roll.csv --samples 120
run 0 explain roll.csv --no-curves && shows 'of the variance missed'
run 0 data make block-model -o blocks.npz --blocks 60,60 --p-in 0.2 --p-out 0.02 --per-class 6
run 0 explain blocks.npz && shows 'a node leaves with its edges'
run 0 explain blocks.npz --kernel symmetric --no-curves && shows '^- Attention: .*lazy walk'

# Too few labels, none, or all of one class: the kernel is explained, and what is missing is said.
run 0 explain digits --per-class 1 --kernel knn && shows 'not known +energy of the labels: 0 of 10 labels' 'Positive semidefinite'
awk -F, 'BEGIN {OFS = ","} NR > 1 {$NF = ""} {print}' moons.csv >unlabeled.csv
run 0 explain unlabeled.csv --labels label --html unlabeled.html && shows 'not known +everything about labels' '^Eigenvalues'
grep -q 'Not known' unlabeled.html || fail 'the page does not say what is not known'

# Bad input.
run 2 explain && says 'INPUT is required'
run 3 explain absent.csv && says 'absent.csv'
run 2 explain digits model.npz --kernel knn && says '--kernel: does not go with MODEL'
run 2 explain digits --draws 0 && says 'draws'
cp digits.html before.html
run 1 explain digits --per-class 5 --no-curves --html absent/page.html && says 'absent'
same digits.html before.html
