# shellcheck shell=bash disable=SC2154
# Small graphs with the names of the paper's graphs: other counts, the same code.
mkdir data
make_named() {
  run 0 data make block-model -o "data/$1.npz" --blocks "$2" --p-in 0.06 --p-out 0.01 --seed "$3"
}
make_named dblp 110,110,110,110 1
make_named photo 90,90,90,90,90,90,90,90 2

# A table: warnings for the counts, notes for missing graphs, and the run continues.
run 0 reproduce --data data --seeds 2 --methods LP,SP-Lap,SP-poly,KRR
says 'warning: data/dblp.npz: 440 nodes, but.*17716' 'edges.*105734' \
  'note: cora: data/cora.npz not found; get it from github.com' 'physics'
shows 'accuracy.*2 seeds, exact' \
  '^dblp +transductive +LP +[0-9.]+ ± [0-9.]+ +66.44 ± 3.78 +[-+][0-9.]+ ' \
  '^photo +inductive +KRR +' 'fewer than three seeds: no intervals' '^20 experiments in'
! grep -q SP-topd out || fail "$last shows a method that was not requested"
[[ $(awk '{ if (length($0) > 120) n++ } END { print n + 0 }' out) == 0 ]] || fail "$last: too wide"
cp out first

# Again: everything is taken from the file, with the same result.
run 0 reproduce --data data --seeds 2 --methods LP,SP-Lap,SP-poly,KRR
shows '^0 experiments in .* 20 read from stkr-reproduce.jsonl'
# But for the last line and column, which are seconds.
numbers() { sed -E '$d; s/ +[0-9.]+$//' "$1"; }
numbers out >again && numbers first >before && same again before
# After a torn last line, only the lost result and the new seed are computed.
lines stkr-reproduce.jsonl 20
head -c -20 stkr-reproduce.jsonl >torn && mv torn stkr-reproduce.jsonl
run 0 reproduce --data data --seeds 3 --datasets dblp,photo --methods LP,SP-Lap,SP-poly,KRR
shows '^11 experiments in .* 19 read' '[0-9]+ of 12 intervals lie above 0' '[0-9]+ of 12 .* below 0' \
  '^dblp +transductive +LP +[0-9.]+ ± [0-9.]+ +66.44 ± 3.78 +[-+][0-9.]+ \[-?[0-9.]+, -?[0-9.]+\]'
# Damaged lines are named and cost what they held; no number changes.
sed '2s/"validation":0/"validation":4/; 3s/"stkr_cell":2.*"run"/"stkr_cell":1,"run"/' \
  stkr-reproduce.jsonl >damaged.jsonl
run 0 reproduce --data data --seeds 2 --methods LP,SP-Lap,SP-poly,KRR --checkpoint damaged.jsonl
says 'warning: damaged.jsonl: line 2 is damaged.*checksum' 'damaged.jsonl: line 3 .* without a checksum' \
  'damaged.jsonl: line 20 is damaged or truncated'
shows '^2 experiments in .* 18 read' && numbers out >again && same again before
run 0 reproduce --data data --seeds 1 --datasets dblp --methods LP --fresh && shows '^1 experiment'
# Another graph under the same name is another experiment.
cp data/dblp.npz kept.npz
make_named dblp 110,110,110,100 1
run 0 reproduce --data data --seeds 1 --datasets dblp --methods LP
shows '^1 experiment in' && ! grep -q 'read from' out || fail "$last: took results of another graph"
mv kept.npz data/dblp.npz
echo 'x,y' >other.csv
run 3 reproduce --data data --checkpoint other.csv && says 'other.csv: is not a file of finished'

# Figures and the other table, as JSON; the folder from the environment.
STKR_DATA=data run 0 reproduce --datasets dblp --seeds 1 --figure p --figure eta --table p-test \
  --methods SP-poly,SP-Lap --json --html page.html \
  --plot figure.svg
is_json out
shows '"exhibit": "figure p"' '"parameter": 0.999999' '"p_test": 0.3' '"paper_mean": null' \
  '"difference": -?[0-9]' '"interval": null' '"resumed": '
for field in dataset setting method mean std paper_mean paper_std seeds difference interval seconds; do
  [[ $(grep -c "^   \"$field\":" out) == 42 ]] || fail "$last: not every row has $field"
done
for name in p-transductive p-inductive eta-transductive eta-inductive; do
  grep -q '</svg>' "figure-$name.svg" || fail "figure-$name.svg is incomplete"
done
# A self-contained file.
grep -q '</html>' page.html || fail 'page.html is incomplete'
[[ $(grep -c '<svg' page.html) == 4 ]] || fail 'page.html lacks figures'
! grep -qE 'src=|href=.[^#]|url\(|@import|<script' page.html || fail 'page.html refers to other files'
run 0 reproduce --data data --datasets dblp --seeds 1 --figure p && shows '^dblp +inductive +[0-9]' 'p=8'

# The paper's iterations, kernel PCA, and predictions without evidence.
run 0 reproduce --data data --datasets dblp --seeds 1 --solver richardson --html page.html
says 'kernel PCA: d = .*left out' && shows 'stopped early' '^dblp +inductive +SP-topd'
run 0 reproduce --data data --datasets dblp --seeds 1 --no-evidence prior --methods KRR

# One bad data set does not affect the others.
head -c 3000 data/photo.npz >data/cora.npz
run 3 reproduce --data data --seeds 1 --methods LP
says 'failed: cora: data/cora.npz: ' && shows '^dblp +transductive' '^photo +transductive'
run 3 reproduce --data data --seeds 1 --methods LP --datasets cora,pubmed,dblp --json
is_json out && says 'failed: cora' 'failed: pubmed: data/pubmed.npz not found; get it from'
shows '"failures"' '"dataset": "dblp"'
run 3 reproduce --data data --seeds 1 --methods LP --datasets pubmed && says 'failed: pubmed'
make_named citeseer 100,100,100 3
run 3 reproduce --data data --seeds 1 --methods LP --datasets citeseer,dblp
says 'failed: citeseer: .*do not fit into 300 nodes' && shows '^dblp'
# A class without a labeled sample.
make_named physics 200,200,200,200,2 4
run 0 reproduce --data data --seeds 2 --methods LP --datasets physics
says 'warning: physics: no labeled sample of class 4.*seed'

# No data, and usage errors.
mkdir empty
run 3 reproduce --data empty && says 'none of the paper' 'cora.npz' 'github.com'
run 3 reproduce --data nowhere && says 'nowhere: not a folder'
STKR_DATA='' run 3 reproduce && says '--data DIR' 'STKR_DATA'
run 2 reproduce --data data --table speed && says 'speed' 'p-test'
run 2 reproduce --data data --figure q && says 'figure.*q'
run 2 reproduce --data data --datasets karate && says 'karate' 'corafull'
run 2 reproduce --data data --methods SVM && says 'SVM' 'SP-topd'
run 2 reproduce --data data --table p-test --methods LP && says 'p-test has no row for LP'
run 2 reproduce --data data --plot figure.svg && says 'plot.*no figure'
run 2 reproduce --data data --figure p --plot figure.png && says 'plot.*ends in .svg'
run 2 reproduce --data data --seeds 0 && says 'seeds.*0 given'
run 2 reproduce --data data --solver lu && says 'lu.*richardson'
run 2 reproduce --data data --no-evidence zero && says 'zero.*prior'
run 1 reproduce --data data --html nowhere/page.html && says 'nowhere'
run 1 reproduce --data data --checkpoint nowhere/cells && says 'nowhere'

# The theory, which needs no data: few repetitions, the same code.
run 0 reproduce --theory --repetitions 3 --plot theory.svg --threads 2
shows 'Theorem 3 \(thm:approx\)' '^circle, s = λ² +96 +[0-9.e-]+ .* 100%' 'Theorem 2 \(thm:est\)' \
  '^circle, p = 1/2 +-0\.[0-9]+ +[0-9.]+ +-0\.67' 'Proposition 4.*top-d-lower' 'top-d \(equality\) .*yes$' \
  'Transductive = inductive' 'lem:hat-lambda-bound' 'Theorem 6 \(thm:topd-approx\)' \
  'cor:lem-approx-2-square' 'Proposition 3 \(prop:agnostic-lap\)' 'Theorem 5 \(thm:topd-est\)' \
  '^10 of 10 statements hold; 3 repetitions, seed 1, δ = 0.1'
[[ $(awk '{ if (length($0) > 180) n++ } END { print n + 0 }' out) == 0 ]] || fail "$last: too wide"
for name in approximation kernel-gap inner-products estimation agnostic eigenvalue probe kernel-pca; do
  grep -q '</svg>' "theory-$name.svg" || fail "theory-$name.svg is incomplete"
done
run 0 reproduce --theory --repetitions 3 --threads 1 --json && is_json out
shows '"holds": true' '"name": "kernel-pca"' '"of_bound": -0' '"frequency": 1' '"standard_error": '
run 2 reproduce --theory --data data && says '--data.*does not go with --theory'
run 2 reproduce --repetitions 3 --data data && says '--repetitions requires --theory'
run 2 reproduce --theory --samples 63 && says 'samples.*64'
run 2 reproduce --theory --plot theory.png && says 'ends in .svg'
