# shellcheck shell=bash disable=SC2154
# Pages about a run: fit, select and predict --html.
make_moons
page() { # page FILE TEXT...: a small complete page that needs nothing else and holds every text
  local file=$1 each
  shift
  grep -q '^</html>' "$file" || fail "$file is not a complete page"
  (($(wc -c <"$file") < 1000000)) || fail "$file has $(wc -c <"$file") bytes"
  ! grep -qE '<script|src="http|href=|@import' "$file" || fail "$file needs something else"
  for each; do grep -qF -- "$each" "$file" || fail "$last: '$each' not in $file"; done
}

run 0 fit digits -o d.npz --per-class 5 --html fit.html --image 8x8 && shows '^page +fit\.html'
page fit.html 'What was chosen' 'Accuracy, labels hidden from the fit' 'Accuracy, leaving one label out' \
  'Class shares' 'Confusion, leaving one label out' 'The least certain samples' 'data:image/png' 'Spectrum' \
  'Transform' 'stkr fit digits --output d.npz' 'Repeat it with' 'truth: '
run 0 fit moons.csv -o m.npz --html fit.html --json && shows '"html": "fit.html"'
page fit.html 'Components' 'Without evidence'
# The page changes nothing.
run 0 fit moons.csv -o plain.npz && run 0 predict plain.npz -o plain.csv
run 0 predict m.npz -o with.csv && same plain.csv with.csv

run 0 data make swiss-roll -o roll.csv --samples 120
run 0 fit roll.csv -o r.npz --html fit.html && page fit.html 'R², leaving one label out' 'Smallest'
run 0 predict r.npz -o r.csv --html answers.html && page answers.html 'Largest' 'The model'

run 0 predict d.npz digits -o d.csv --html answers.html --image 8x8
page answers.html 'Predictions for digits' 'Class shares' 'The least certain samples' 'data:image/png'
run 0 predict m.npz -o m.csv --html answers.html --json && shows '"html": "answers.html"'
page answers.html 'Predictions for the fitted samples' 'Answers'

quick=(--families power,inverse-laplacian --powers 1,2 --etas 0.9,0.99 --ridges 1,0.1)
run 0 select moons.csv --folds 4 "${quick[@]}" --html select.html && shows '^page +select\.html'
page select.html 'Chosen' 'The best points' 'Confusion, cross-validation' 'moons' 'class="plot"' 'Fit it with'
run 0 select moons.csv --folds 4 "${quick[@]}" --class-mass both --kernels rbf,knn --html select.html --plot map.svg
page select.html 'The best point of each kernel'
grep -qE 'moons: (rbf|knn)' map.svg || fail "map.svg does not name data and kernel: $(grep -o 'aria-label="[^"]*"' map.svg)"
run 0 select digits --per-class 5 "${quick[@]}" -o s.npz --html select.html --image 8x8
page select.html 'The least certain samples' 'data:image/png'
run 2 select digits --per-class 5 "${quick[@]}" --html select.html --image 8x8 && says '--image: .*--output'
run 2 select digits --per-class 5 -o s.npz --html select.html --image 9x9 && says '81 values.*64 features'
run 2 select karate -o s.npz --html select.html --image 8x8 && says 'needs dense points, and these are a graph'
run 0 select roll.csv --leave-one-out "${quick[@]}" --html select.html && page select.html 'r2, leave-one-out'

# Names that are markup, one labeled class more than there are answers, names of nodes.
{ printf 'a,b,class\n' && for k in {1..12}; do printf '%s,1,<script>alert(1)</script>\n%s,9,"a&b ""c"""\n' "$k" "$k"; done
  printf '3,2,\n4,8,\n'; } >hostile.csv
run 0 fit hostile.csv -o h.npz --html fit.html && page fit.html '&lt;script&gt;alert(1)&lt;/script&gt;' 'a&amp;b'
run 0 select hostile.csv --folds 3 "${quick[@]}" --html select.html && page select.html '&lt;script&gt;'
run 0 predict h.npz -o h.csv --html answers.html && page answers.html '&lt;script&gt;'
printf 'a b\nb c\nc a\nd e\ne f\n' >named.edges
printf 'node,label\na,x\nd,y\n' >named.csv
run 0 fit named.edges --labels named.csv -o n.npz --html fit.html && page fit.html '3, 3'

# Many samples and many classes keep the page small.
run 0 data make block-model -o many.npz --blocks "$(printf '20,%.0s' {1..300})20" --p-in 0.9 --p-out 0.0001 --per-class 2
run 0 fit many.npz -o many.model.npz --html fit.html && page fit.html 'largest of 301 classes'

# Wrong use is found before any work.
run 2 fit digits -o d2.npz --image 8x8 && says 'only with --html'
run 2 fit digits -o d2.npz --html a.html --image 8 && says '28x28'
run 2 fit digits -o d2.npz --html a.html --image 7x8 && says '56 values.*64 features'
run 2 predict d.npz -o d.csv --html a.html --image 8x8 && says 'new samples'
run 2 fit digits -o d2.npz --html d2.npz && says 'd2\.npz'
run 1 fit digits -o d2.npz --per-class 5 --html absent/a.html && says 'absent'
[[ ! -e d2.npz && ! -e a.html ]] || fail 'a wrong use wrote a file'
