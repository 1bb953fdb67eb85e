# shellcheck shell=bash disable=SC2154
# Standard input and output: "-".
make_moons
run 0 fit moons.csv -o moons.npz --kernel knn --eta 0.9 --ridge 0.1
run 0 data make two-moons -o new.csv --samples 30 --seed 9
run 0 predict moons.npz new.csv -o answers.csv
cat new.csv | "$stkr" predict moons.npz - --format csv -o - >piped.csv 2>err
same answers.csv piped.csv
last='predict - -o -' && says '^samples +30 new'
"$stkr" predict moons.npz - --input-format csv -o - --format jsonl <new.csv >piped.jsonl 2>err
run 0 predict moons.npz new.csv -o answers.jsonl && same answers.jsonl piped.jsonl
"$stkr" predict moons.npz -o - 2>err | head -n 1 >out
shows '^index,prediction'
[[ ! -e - ]] || fail 'a file named -'
"$stkr" predict moons.npz -o - --format npz 2>err | cat >piped.npz
run 0 predict moons.npz -o whole.npz && same whole.npz piped.npz
# Binary output is not written to a terminal, text is.
on_terminal() {
  python3 -c 'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))' \
    "$stkr" "$@" >out 2>&1 </dev/null
}
on_terminal predict moons.npz -o - --format npz
[[ $? == 2 ]] || fail 'npz on a terminal'
last='predict --format npz on a terminal' && shows 'npz is binary, and standard output is a terminal'
on_terminal data convert moons.csv - --format npz
[[ $? == 2 ]] || fail 'a data set on a terminal'
on_terminal predict moons.npz -o - && shows '^index,prediction' || fail 'CSV on a terminal'
# JSON reports go to standard error as well.
"$stkr" predict moons.npz -o - --json >piped.csv 2>err && cp err out && is_json out
run 2 predict moons.npz - -o p.jsonl --format jsonl && says '--input-format'

# fit, select, plan and data read standard input.
cat moons.csv | "$stkr" fit - --format csv -o piped.model --kernel knn --eta 0.9 --ridge 0.1 >out 2>err
shows '^data +stdin: 120 points'
run 0 predict piped.model -o p.csv && run 0 predict moons.npz -o q.csv && same p.csv q.csv
"$stkr" fit - --format csv -o piped.model --kernel knn --eta 0.9 --ridge 0.1 <moons.csv >out 2>err ||
  fail 'fit from a file'
run 0 data convert moons.csv moons_data.npz
cat moons_data.npz | "$stkr" data info - >out 2>err && shows '120 points x 2 features'
cat moons.csv | "$stkr" select - --format csv --folds 2 --families power --powers 1 >out 2>err &&
  shows 'stdin: 120 points'
cat moons.csv | "$stkr" plan - --format csv >out 2>err && shows 'stdin: 120 points'
cat moons.csv | "$stkr" data convert - - --format csv >out 2>err && same moons.csv out
cat moons.csv | "$stkr" data convert - -o back.npz --input-format csv >out 2>err
run 0 data convert back.npz -o back.csv && same moons.csv back.csv
"$stkr" data make two-moons -o - --format csv --samples 120 --per-class 4 >out 2>err && same moons.csv out
"$stkr" graph moons.csv -o - --format tsv -k 3 >piped.tsv 2>err
run 0 graph moons.csv -o graph.tsv -k 3 --labels label
grep -v '^#' graph.tsv >a.txt
grep -v '^#' piped.tsv >b.txt
same a.txt b.txt

# Errors name standard input.
printf 'x,y,label\n0,0,a\n1,oops,b\n' | "$stkr" fit - --format csv -o m.npz 2>err
[[ $? == 3 ]] || fail 'bad data from standard input'
last='fit -' && says '/dev/stdin: line 3, column y'
cat moons.csv | "$stkr" fit - -o m.npz 2>err
last='fit - without --format' && says 'standard input has no extension' '--format csv'
cat moons.csv | "$stkr" fit - --format npz -o m.npz 2>err
says 'does not start like'
: | "$stkr" fit - --format csv -o m.npz 2>err
says '/dev/stdin: is empty'
run 2 fit moons.csv -o - && says 'a model is an \.npz file'
run 2 fit moons.csv --format xlsx -o m.npz && says "'xlsx' is unknown"
cp moons.csv moons.dat
run 0 fit moons.dat --format csv -o m2.npz --kernel knn --eta 0.9 --ridge 0.1
run 3 fit moons.dat -o m.npz && says 'unknown extension' '--format csv'
[[ ! -e m.npz && ! -e - ]] || fail 'a failure left a file'
