# shellcheck shell=bash disable=SC2154
# stkr score: counted by hand.
printf 'index,node,prediction,evidence,tie\n0,ann,a,1,0\n1,bob,a,1,0\n2,cid,b,1,0\n3,dan,b,1,0\n4,eve,b,1,0\n' >answers.csv
printf 'node,label\neve,a\ndan,b\ncid,b\nbob,b\nann,a\nzoe,a\n' >truth.csv
run 0 score answers.csv truth.csv
shows '^samples +5 of 5 predictions have a true label, matched by node' '^accuracy +60\.00%' \
  '^balanced accuracy +58\.33%' '^macro F1 +58\.33%' 'true . predicted +a +b' '^a +1 +1$' '^b +1 +2$'
! grep -q 'log loss' out || fail 'a log loss without probabilities'
run 0 score answers.csv truth.csv --json
is_json out && shows '"accuracy": 0\.6' '"samples": 5' '"without_truth": 0' '"classes"' '"confusion"'
# Rows without truth do not count.
printf 'node,label\neve,\ndan,b\ncid,NA\nann,a\n' >some.csv
run 0 score answers.csv some.csv && shows '2 of 5 predictions' '^accuracy +100\.00%'
# By number: in order, or by a column index.
printf 'label\na\nb\nb\nb\na\n' >rows.csv
run 0 score answers.csv rows.csv --json && shows '"matched_by": "index"' '"accuracy": 0\.6'
printf 'index,label\n3,a\n1,a\n' >index.csv
run 0 score answers.csv index.csv && shows '2 of 5' '^accuracy +50\.00%'
printf 'index,prediction,tie\n1,a,0\n4,b,0\n' >two.csv
run 0 score two.csv rows.csv && shows '2 of 2' '^accuracy +0\.00%'
# Another column, another name, -1 for unlabeled, "1.0" for 1.
printf 'who,species,age\nann,a,3\nbob,a,4\n' >table.csv
run 3 score answers.csv table.csv --labels species --id node && says 'table\.csv: has no column node'
printf 'Node,species,age\nann,a,3\nbob,a,4\n' >table.csv
run 0 score answers.csv table.csv --labels species && shows '2 of 5' 'accuracy +100'
printf 'prediction,tie\n1,0\n0,0\n1,0\n' >numbers.csv
printf 'y\n1.0\n0.0\n-1\n' >floats.csv
run 0 score numbers.csv floats.csv && shows '2 of 3' 'accuracy +100' && says '1 samples of class -1'
# Probabilities.
printf 'prediction,tie,probability_a,probability_b\na,0,0.75,0.25\nb,0,0.5,0.5\n' >proba.csv
printf 'label\na\nb\n' >ab.csv
run 0 score proba.csv ab.csv && shows '^log loss +0\.4904'
# Numbers.
printf 'index,prediction,evidence,score_y\n0,1,1,1\n1,4,1,4\n2,5.5,1,5.5\n' >values.csv
printf 'y\n1\n2\n6\n' >y.csv
run 0 score values.csv y.csv && shows '^R2 +0\.6964' '^mean absolute error +0\.833333' \
  '^root mean squared error +1\.1902'
run 0 score values.csv y.csv --json && is_json out && shows '"r2": 0\.69' '"task": "regression"'
# Data sets and standard input.
run 0 fit digits -o digits.npz --per-class 5 --kernel knn --eta 0.9 --ridge 0.1
shows 'hidden labels +accuracy ([0-9.]*)%'
hidden=$(sed -n 's/^hidden labels *accuracy \([0-9.]*%\).*/\1/p' out)
run 0 predict digits.npz -o digits.csv --only unlabeled --proba
run 0 score digits.csv digits && shows "^accuracy +$hidden" '^log loss' '^samples +1,747 of 1,747'
"$stkr" score - digits <digits.csv >piped 2>err && same out piped
"$stkr" predict digits.npz -o - --only unlabeled --proba --format jsonl 2>err |
  "$stkr" score - digits --format jsonl >piped 2>err
same out piped

# Errors.
bad() { # ANSWERS TRUTH PATTERNS...
  printf "$1" >one.csv
  printf "$2" >other.csv
  shift 2
  run 3 score one.csv other.csv
  says "$@"
}
bad 'prediction,tie\na,0\n' 'label\na\nb\n' 'one\.csv .* up to number 0' 'other\.csv has 2 rows'
bad 'index,prediction,tie\n7,a,0\n' 'label\na\nb\n' 'up to number 7'
bad 'id,prediction,tie\np1,a,0\n' 'id,label\np2,a\n' "none of its names" "'p1'" "'p2'"
bad 'id,prediction,tie\np,a,0\np,a,0\n' 'id,label\np,a\n' "'p' occurs twice"
bad 'id,predicted\np,a\n' 'id,label\np,a\n' 'one\.csv: has no column prediction' 'did you mean predicted'
bad 'prediction,tie\ncat,0\ndog,0\n' 'label\ncats\ndog\n' "'cats' is unknown" 'cat, dog' 'did you mean cat'
bad 'prediction,tie\na,0\n' 'u,v\n1,2\n' 'name the one with the truth, --labels'
bad 'prediction,tie\na,0\n' 'label\n""\n' 'no predicted sample has a label'
bad 'prediction\n1.5\nx\n' 'y\n1\n2\n' "'x'|unknown"
run 3 score one.csv absent.csv && says 'absent\.csv'
run 2 score one.csv && says 'TRUTH is required'
run 2 score - - && says 'only one of'
run 3 score one.csv other.csv --labels lable && says 'has no column lable'
