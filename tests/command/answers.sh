# shellcheck shell=bash disable=SC2154
# Predictions as people use them: formats, names, probabilities, some of the samples.
make_moons
run 0 fit moons.csv -o moons.npz --kernel knn --eta 0.9 --ridge 0.1
run 0 predict moons.npz -o all.csv
run 0 predict moons.npz -o all.tsv
tr '\t' ',' <all.tsv >back.csv && same all.csv back.csv
run 0 predict moons.npz -o all.jsonl
lines all.jsonl 120
head -n 1 all.jsonl >out
shows '^\{"index":0,"prediction":"[01]","evidence":true,"tie":false,"score_0":.*,"score_1":.*\}$'
run 0 predict moons.npz -o text --format jsonl && same all.jsonl text
run 0 predict moons.npz -o all.npz
[[ $(head -c 2 all.npz) == PK ]] || fail 'all.npz is no archive'
# Whatever the format, the answers are the same: they score the same.
run 0 data make two-moons -o truth.csv --samples 120
for format in csv tsv jsonl npz; do
  run 0 score "all.$format" truth.csv --json
  grep -v '"answers"' out >"$format.scores"
  same csv.scores "$format.scores"
done
for name in p.npy p.json p.parquet p.pkl; do
  run 2 predict moons.npz -o $name && says "$name" '\.jsonl' '--format'
  [[ ! -e $name ]] || fail "$name was written"
done
run 2 predict moons.npz -o p.csv --format cvs && says 'did you mean csv'

# Probabilities, calibrated on labels left out: rows sum to 1, and the larger score has the larger probability.
run 0 predict moons.npz -o p.csv --proba
awk -F, 'NR > 1 { if (($7 + $8 - 1) ^ 2 > 1e-20 || ($6 - $5) * ($8 - $7) < 0) bad = 1 }
         END { exit bad }' p.csv || fail "probabilities: $(head -n 3 p.csv)"
cut -d, -f1-6 p.csv >scores.csv && same all.csv scores.csv
# Without labels left out, the shares of the positive scores.
run 0 fit moons.csv -o spread.npz --method label-propagation
run 0 predict spread.npz -o p.csv --proba
[[ $(head -n 1 p.csv) == index,prediction,evidence,tie,score_0,score_1,probability_0,probability_1 ]] ||
  fail "header $(head -n 1 p.csv)"
awk -F, 'NR > 1 { size = ($5 < 0 ? -$5 : $5) + ($6 < 0 ? -$6 : $6)
                  p = 0.5 * (1 + ($6 - $5) / size)
                  if ((p - $8) ^ 2 > 1e-20 || ($7 + $8 - 1) ^ 2 > 1e-20) bad = 1 }
         END { exit bad }' p.csv || fail "probabilities: $(head -n 3 p.csv)"
run 0 predict moons.npz -o p.jsonl --probabilities && grep -q '"probability_1":' p.jsonl || fail 'no probability'
run 0 data make swiss-roll -o roll.csv --samples 60
run 0 fit roll.csv -o roll.npz --kernel rbf --eta 0.9 --ridge 0.1
run 2 predict roll.npz -o p.csv --proba && says '--proba' 'for classes'

# Some of the fitted samples.
run 0 predict moons.npz -o u.csv --only unlabeled && shows 'samples +112 fitted'
run 0 predict moons.npz -o l.csv --only labeled
lines u.csv 113
lines l.csv 9
(head -n 1 all.csv && sort -n <(tail -n +2 u.csv) <(tail -n +2 l.csv)) >both.csv
same all.csv both.csv
run 0 predict moons.npz -o a.csv --only all && same all.csv a.csv
run 2 predict moons.npz -o u.csv --only unlabelled && says "did you mean unlabeled"
run 2 predict moons.npz moons.csv -o u.csv --only unlabeled && says '--only.*fitted samples'
awk 'NR == 1 || NR % 3 == 0 { print; next } { sub(/,[^,]*$/, ","); print }' roll.csv >some.csv
run 0 fit some.csv -o some.npz --task regression --kernel rbf --eta 0.9 --ridge 0.1
run 0 predict some.npz -o u.csv --only unlabeled
lines u.csv $((60 - $(awk -F, 'NR > 1 && $NF != ""' some.csv | wc -l) + 1))

# Names of nodes are in every format.
printf 'anna\tbert\nbert\tcarl\nxeno\tyves\n' >people.tsv
printf 'name,label\nanna,x\ncarl,y\n' >people.csv
run 0 fit people.tsv -o people.npz --labels people.csv
run 0 predict people.npz -o people.jsonl && grep -q '"node":"bert"' people.jsonl || fail 'no name'
run 0 predict people.npz -o people.out.tsv
[[ $(cut -f1,2 people.out.tsv | head -n 2 | tail -n 1) == $'0\tanna' ]] || fail "$(cat people.out.tsv)"
run 0 predict people.npz -o people.out.npz && run 0 score people.out.npz people.csv --json
shows '"matched_by": "node"' '"samples": 2'

# An archive is held in memory, text is not: 100,000 predictions do not fit into 3 MB more than are
# needed anyway.
run 0 data make two-moons -o many.npy --samples 100000
run 5 predict moons.npz many.npy -o many.csv --memory 1MB
needed=$(sed -nE 's/.*needs about ([0-9.]+) MB.*/\1/p' err)
memory=$(awk -v mb="$needed" 'BEGIN { printf "%dMB", mb + 3 }')
run 5 predict moons.npz many.npy -o many.npz --memory "$memory"
says 'an \.npz archive of [0-9]+ predictions needs about' 'write \.csv, \.tsv or \.jsonl'
[[ ! -e many.npz ]] || fail 'a part of the archive was written'
run 0 predict moons.npz many.npy -o many.csv --memory "$memory"
lines many.csv 100001
