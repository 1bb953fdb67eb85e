# shellcheck shell=bash disable=SC2154
# Prediction sets, intervals, calibrated probabilities and suggestions.
run 0 fit digits -o digits.model --per-class 5 --seed 3
run 0 predict digits.model -o sets.csv --coverage 0.9 --proba
head -n 1 sets.csv | grep -q 'probability_9,set_0,.*,set_9$' || fail "header $(head -n 1 sets.csv)"
# The largest probability is that of the prediction, rows add up to 1, and the class with the largest probability is
# in every set that is not empty.
awk -F, 'NR > 1 {
  best = 15; sum = 0; size = 0
  for (k = 15; k <= 24; ++k) { sum += $k; if ($k > $best) best = k }
  for (k = 25; k <= 34; ++k) size += $k
  if ($2 != best - 15) { print "prediction of row " $1; exit 1 }
  if (sum < 0.999999 || sum > 1.000001) { print "sum of row " $1 ": " sum; exit 1 }
  if (size > 0 && !$(best + 10)) { print "set of row " $1; exit 1 }
}' sets.csv >wrong.txt || fail "$(cat wrong.txt)"
# A larger coverage gives larger sets.
run 0 predict digits.model -o large.csv --coverage 0.98
sizes() { awk -F, 'NR > 1 {for (k = NF - 9; k <= NF; ++k) sum += $k} END {print sum}' "$1"; }
(($(sizes large.csv) > $(sizes sets.csv))) || fail "sets of $(sizes large.csv) and $(sizes sets.csv)"
run 0 predict digits.model -o sets.jsonl --coverage 0.9
head -n 1 sets.jsonl | grep -qE '"set":\["?0"?\]' || fail "$(head -n 1 sets.jsonl)"
run 0 predict digits.model -o sets.npz --coverage 0.9
# 50 labels cannot promise 99 %.
run 2 predict digits.model -o none.csv --coverage 0.99
says '0.99 needs at least 99 labels, and the model has 50: it can give at most 0.9803'
[[ ! -e none.csv ]] || fail 'wrote an output after an error'
run 2 predict digits.model -o none.csv --coverage 1.5
# Label propagation leaves nothing out.
run 0 fit digits -o spread.model --per-class 5 --method label-propagation
run 2 predict spread.model -o none.csv --coverage 0.9 && says 'fit it again with --leave-one-out'
# A fit that does not form the system of its labels leaves them out on request, with the same predictions.
run 0 fit digits -o plain.model --per-class 5 --kernel knn --transform inverse-laplacian --ridge 0.1
run 0 fit digits -o left.model --per-class 5 --kernel knn --transform inverse-laplacian --ridge 0.1 --leave-one-out
run 0 predict plain.model -o plain.csv
run 0 predict left.model -o left.csv
same plain.csv left.csv
run 0 predict left.model -o left.csv --coverage 0.9

# Intervals of numbers contain the prediction.
run 0 data make swiss-roll -o roll.csv --samples 80
run 0 fit roll.csv -o roll.model
run 0 predict roll.model -o roll_answers.csv --coverage 0.8
head -n 1 roll_answers.csv | grep -qE ',lower_[a-z]+,upper_[a-z]+$' || fail "$(head -n 1 roll_answers.csv)"
awk -F, 'NR > 1 && !($(NF - 1) < $2 && $2 < $NF) {exit 1}' roll_answers.csv || fail 'an interval without its prediction'

# Suggestions are unlabeled samples, all different, and the same for any number of threads.
run 0 fit digits -o digits.model --per-class 2 --suggest 6 --threads 1 && shows 'label next +[0-9]+(, [0-9]+){5}$'
cp out first.txt
run 0 fit digits -o digits.model --per-class 2 --suggest 6 --threads 2
grep "label next" first.txt >first_line.txt
grep "label next" out >second_line.txt
same first_line.txt second_line.txt
run 0 fit digits -o digits.model --per-class 2 --suggest 2 --json && shows '"suggestions"'
run 2 fit digits -o digits.model --per-class 2 --suggest 100000 && says '--suggest: .*expected 1 to 1777'
# What cannot be done is refused before any work, or said.
run 2 fit digits -o never.model --per-class 2 --method label-propagation --suggest 3 && says '--suggest'
[[ ! -e never.model ]] || fail 'wrote a model after an error'
run 0 fit digits -o spread.model --per-class 2 --method label-propagation --leave-one-out &&
  says 'labels are not left out, though that was asked for'
