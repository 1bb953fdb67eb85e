# shellcheck shell=bash disable=SC2154
# Questions to a saved model: suggest, --uncertainty, --jackknife-plus and --explain repeat the fit as the model says.

# column FILE NAME: a column of a CSV file without quotes.
column() { awk -F, -v name="$2" 'NR == 1 {for (k = 1; k <= NF; ++k) if ($k == name) at = k; next} {print $at}' "$1"; }
# agree TOLERANCE: two columns of numbers on stdin, relative to the largest of the first.
agree() {
  awk -v most="$1" '{a[NR] = $1; b[NR] = $2; if ($1 < 0) $1 = -$1; if ($1 > top) top = $1}
    END {for (i = 1; i <= NR; ++i) {d = a[i] - b[i]; if (d < 0) d = -d; if (d > most * top) exit 1} if (NR == 0) exit 1}'
}

# The same suggestions as in the process of the fit.
run 0 fit digits -o digits.npz --per-class 3 --suggest 4
sed -nE 's/^label next +//p' out | tr -d ' ' | tr ',' '\n' >at_fit.txt
lines at_fit.txt 4
run 0 suggest digits.npz -n 4 -o next.csv && shows '^index +prediction +reduction +variance' 'written +next.csv'
column next.csv index >later.txt
same at_fit.txt later.txt
run 0 suggest digits.npz -n 4 -o - --threads 1
head -n 1 out | grep -q '^index,prediction,reduction,variance$' || fail "$(head -n 1 out)"
column out index >one_thread.txt
same at_fit.txt one_thread.txt
run 0 suggest digits.npz -n 2 --criterion survey --json && is_json out && shows '"criterion": "survey"' '"reduction"'
run 2 suggest digits.npz -n 100000 && says '100000 given; expected 1 to 1767'
run 2 suggest digits.npz --criterion best && says "best"
run 2 suggest && says 'MODEL is required'
run 3 suggest absent.npz && says 'absent.npz'

# Standard deviations beside the scores, in every format.
run 0 predict digits.npz -o sure.csv --uncertainty --proba && shows '^deviations +exact'
head -n 1 sure.csv | grep -q 'probability_9,deviation_0,.*,deviation_9$' || fail "$(head -n 1 sure.csv)"
awk -F, 'NR > 1 {for (k = NF - 9; k <= NF; ++k) if (!($k > 0 && $k < 10)) {print $0; exit 1}}' sure.csv >wrong.txt ||
  fail "deviations: $(cat wrong.txt)"
run 0 predict digits.npz -o plain.csv --proba
cut -d, -f1-24 sure.csv >scores.csv && same plain.csv scores.csv
# f is less certain far from labels than at them.
run 0 predict digits.npz -o labeled.csv --uncertainty --only labeled && lines labeled.csv 31
rows() { awk -F, 'NR > 1 {print $1, $NF}' "$1" | sort; }
join <(rows labeled.csv) <(rows sure.csv) | cut -d' ' -f2,3 >both.txt
lines both.txt 30
agree 1e-9 <both.txt || fail "other deviations for --only labeled: $(head -n 3 both.txt)"
mean() { column "$1" deviation_0 | awk '{sum += $1} END {print sum / NR}'; }
awk -v a="$(mean labeled.csv)" -v b="$(mean sure.csv)" 'BEGIN {exit !(a < b)}' || fail 'labels do not make sure'
run 0 predict digits.npz -o sure.jsonl --uncertainty --only labeled && grep -q '"deviation_9":' sure.jsonl || fail 'jsonl'
run 0 predict digits.npz -o sure.npz --uncertainty --json && is_json out && shows '"deviation_error": 0'
# Fitted samples that are presented again have the same deviations.
run 0 data make two-moons -o moons.csv --samples 120 --per-class 4
run 0 fit moons.csv -o moons.npz --kernel rbf --length-scale 0.3 --power 2 --ridge 0.1
run 0 predict moons.npz -o known.csv --uncertainty && says 'only 8 labels'
run 0 predict moons.npz moons.csv -o new.csv --uncertainty && shows '120 new'
paste <(column known.csv deviation_0) <(column new.csv deviation_0) | agree 1e-6 || fail 'known and new deviations differ'

# Numbers: jackknife+ intervals.
run 0 data make swiss-roll -o roll.csv --samples 60
run 0 fit roll.csv -o roll.npz --kernel matern32 --ridge 0.1 --power 1
run 0 predict roll.npz -o plus.csv --coverage 0.8 --jackknife-plus && shows '^intervals +jackknife\+$'
awk -F, 'NR > 1 && !($(NF - 1) < $2 && $2 < $NF) {exit 1}' plus.csv || fail 'an interval without its prediction'
run 0 predict roll.npz roll.csv -o plus_new.csv --coverage 0.8 --jackknife-plus
paste <(column plus.csv lower_target) <(column plus_new.csv lower_target) | agree 1e-6 || fail 'known and new intervals differ'
run 2 predict roll.npz -o n.csv --coverage 0.99 --jackknife-plus && says 'needs at least 99 labels'
run 2 predict roll.npz -o n.csv --jackknife-plus && says 'only with --coverage'
run 2 predict digits.npz -o n.csv --coverage 0.9 --jackknife-plus && says 'predicts classes'
run 0 fit roll.csv -o left.npz --kernel matern32 --ridge 0.1 --power 1 --leave-one-out
run 0 predict left.npz -o simple.csv --coverage 0.8 && shows '^intervals +jackknife$'
# Two numbers say nothing about their scatter.
awk -F, -v OFS=, 'NR > 3 {$4 = ""} {print}' roll.csv >two.csv
run 0 fit two.csv -o two.npz --kernel rbf --power 1 --ridge 0.1
run 3 predict two.npz -o n.csv --uncertainty && says '2 labels cannot tell how uncertain numbers are; expected at least 3'

# What labels contribute adds up to the score, which is that of the predictions.
make_graph
run 0 fit graph.npz -o graph_model.npz --kernel lazy-walk --eta 0.9 --ridge 0.1
run 0 predict graph_model.npz --explain 5
shows '^sample +5$' '^prediction +' '^radius ' 'What labels contribute' 'Through which samples' 'strongest paths' '^5 - '
run 0 predict graph_model.npz -o graph.csv
cat >sums.py <<'END'
import csv, json, math, sys
found = json.load(open("out"))["explanation"]
rows = list(csv.DictReader(open(sys.argv[1])))
row = rows[found["index"]]
for c, name in enumerate(found["outputs"]):
    parts = [one["to"][c] for one in found["contributions"]] + [found["constant"][c]]
    total, score = math.fsum(parts), found["scores"][c]
    size = math.fsum(abs(part) for part in parts)
    assert abs(total - score) <= 1e-12 * size, (name, total, score)
    assert abs(score - float(row["score_" + name])) <= 1e-6 * max(1e-3, size), (name, score, row)
assert len(found["contributions"]) == int(sys.argv[2]), len(found["contributions"])
END
sums() { python3 sums.py "$@" 2>wrong.txt || fail "$last: $(tail -n 1 wrong.txt)"; }
run 0 predict graph_model.npz --explain 5 --json && is_json out && shows '"radius"' '"paths"' && sums graph.csv 8
run 0 predict digits.npz --explain 1700 --json && sums plain.csv 30
run 0 predict roll.npz -o roll_answers.csv --explain 7 --json && sums roll_answers.csv 60
run 0 predict roll.npz roll.csv -o roll_answers.csv --explain 7 --json && shows '"new": true' && sums roll_answers.csv 60
run 0 predict roll.npz --explain 7 && shows '^prediction +target: ' '^constant +'
# Class sizes scale scores and contributions alike.
run 0 fit moons.csv -o mass.npz --kernel rbf --length-scale 0.3 --power 2 --ridge 0.1 --class-mass --prior 0.8,0.2
run 0 predict mass.npz -o mass.csv --explain 60 --json && sums mass.csv 8
# With -o -, the explanation does not mix with the predictions.
run 0 predict graph_model.npz -o - --explain 5 && same graph.csv out && says 'What labels contribute'
# By name; the paper's beta; a model of select.
printf 'a b\nb c\nc d\nd e\nb d\nx y\n' >named.tsv
printf 'node,label\na,0\nb,\nc,\nd,\ne,1\nx,\ny,\n' >named.labels.csv
run 0 fit named.tsv -o named.npz --labels named.labels.csv --eta 0.9 --beta 0.01
run 0 predict named.npz --explain c && shows '^sample +c \(2\)$' '^a \(0\) +0 ' '^c \(2\) - '
run 0 predict named.npz --explain y && shows 'no label reaches it'
run 2 predict named.npz --explain z && says 'z is no fitted sample; expected an index from 0 to 6, or a name'
run 2 predict named.npz --explain 7 && says '7 is no fitted sample'
run 2 predict named.npz --explain -1 && says '--explain'
run 0 suggest named.npz -n 1 -o next.csv && head -n 1 next.csv | grep -q '^index,node,prediction,' || fail "$(cat next.csv)"
printf 'f a\nf b\ng e\n' >fresh.tsv
run 0 predict named.npz fresh.tsv --explain g && shows '^sample +g \(1\), new$' '^g - e \(4\) \(1\)$'
run 2 predict named.npz fresh.tsv --explain h && says 'h is no sample of fresh.tsv; expected an index from 0 to 1'
run 0 select moons.csv -o chosen.npz --families power,inverse-laplacian --ridges 1,0.1
run 0 predict chosen.npz -o chosen.csv --explain 3 --json && sums chosen.csv 8

# The data are found from another folder, and where the model and they have moved together.
mkdir -p here/models there
cp moons.csv here
(cd here && "$stkr" fit moons.csv -o models/m.npz >../out) || fail 'fit in a folder'
run 0 suggest here/models/m.npz -n 1
mv here/* there
rm moons.csv
run 0 suggest there/models/m.npz -n 1
mv there/moons.csv other.csv
run 3 suggest there/models/m.npz -n 1 && says 'moons.csv is neither here nor in .*there' '--data'
run 0 suggest there/models/m.npz -n 1 --data other.csv
run 2 suggest there/models/m.npz -n 1 --data - && says '--data: standard input given; expected a file'
# Changed data are noticed, before anything is written.
sed '5s/^/9/' other.csv >changed.csv
echo kept >kept.csv
run 3 predict there/models/m.npz -o kept.csv --uncertainty --data changed.csv
says 'changed.csv: its samples or labels are not those that there/models/m.npz was fitted on'
[[ $(cat kept.csv) == kept ]] || fail 'an output was lost'
run 2 predict there/models/m.npz -o other.csv --uncertainty --data other.csv && says 'also an input'
run 2 suggest there/models/m.npz -o other.csv --data other.csv && says 'also an input'
run 2 predict there/models/m.npz -o n.csv --data other.csv && says '--data: applies only with'
run 2 predict there/models/m.npz --explain 3 --proba && says '--proba: needs a file'
run 2 predict there/models/m.npz && says '--output is required'
# Standard input is not there any more.
run 0 fit - -o piped.npz --format csv -q <other.csv
run 3 suggest piped.npz -n 1 && says 'fitted on standard input' '--data'
run 0 suggest piped.npz -n 1 --data other.csv

# A fit that stopped early has other scores than its system.
run 4 fit other.csv -o early.npz --kernel rbf --eta 0.9 --ridge 0.1 --solver richardson --max-iterations 3
run 3 predict early.npz --explain 3 && says 'did not converge \(max_iterations\)'
run 3 suggest roll.npz && says 'every sample is labeled'

# Methods without a system of labels, and models that do not say how they were fitted.
run 0 fit digits -o spread.npz --per-class 3 --method label-propagation
run 2 suggest spread.npz && says 'spread.npz is a model of label-propagation' 'stkr or kernel-ridge'
run 0 fit digits -o pca.npz --per-class 3 --method kernel-pca --kernel rbf
run 2 predict pca.npz --explain 3 && says 'no system of its labels'
run 0 data make block-model -o split_graph.npz --blocks 30,30 --p-in 0.4 --p-out 0.03 --per-class 4
python3 - <<'END'
import struct, zipfile
def npy(values):
    head = "{'descr': '<i8', 'fortran_order': False, 'shape': (%d,), }" % len(values)
    head += " " * (63 - (10 + len(head)) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + struct.pack("<%dq" % len(values), *values)
with zipfile.ZipFile("split.npz", "w") as archive:
    for name, part in {"train": range(0, 60, 3), "val": range(1, 60, 3), "test": range(2, 60, 3), "other": []}.items():
        archive.writestr(name + ".npy", npy(list(part)))
END
run 0 select split_graph.npz --split split.npz -o split_model.npz --families power
run 3 suggest split_model.npz && says 'does not say how to repeat its fit' 'stkr fit'
[[ ! -e n.csv ]] || fail 'wrote an output after an error'
