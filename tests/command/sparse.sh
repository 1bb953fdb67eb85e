# shellcheck shell=bash disable=SC2154
# Sparse points: words of texts, in svmlight, .npz and Matrix Market files.
awk 'BEGIN {
  for (i = 0; i < 90; i++) {
    class = i % 3
    line = i < 30 ? class + 1 : -1
    for (k = 0; k < 4; k++) line = line " " (1 + class * 40 + 10 * k + (i * 7 + k * k) % 10) ":" 1 + (i + k) % 3
    print line " " 200 + i % 5 ":1 100000:0"
  }
}' >words.svmlight
run 0 data info words.svmlight && shows '90 points x 100000 features, 450 entries'
run 0 fit words.svmlight -o words.model --kernel cosine
shows 'cosine'
[[ $(stat -c %s words.model) -lt 100000 ]] || fail "a model of sparse points takes $(stat -c %s words.model) bytes"
run 0 predict words.model -o words.csv
# The fitted points as new ones.
for format in svmlight npz mtx; do
  run 0 data convert words.svmlight back.$format
  labels=()
  [[ $format == mtx ]] && labels=(--kind points --labels back.labels.txt)
  run 0 fit back.$format -o back.model --kernel cosine "${labels[@]}"
  run 0 predict back.model -o back.csv
  same words.csv back.csv
  [[ $format == mtx ]] && continue  # new points are read as a graph's edges otherwise
  run 0 predict words.model back.$format -o new.csv
  cut -d, -f1-3 words.csv >known.txt
  cut -d, -f1-3 new.csv >found.txt
  same known.txt found.txt
done
# Every kernel, the choice without options, and the whole grid.
for kernel in linear polynomial rbf laplacian matern32 epsilon_neighbor knn; do
  run 0 fit words.svmlight -o other.model --kernel $kernel
  run 0 predict other.model words.svmlight -o other.csv
done
run 0 fit words.svmlight -o auto.model
run 0 predict auto.model -o auto.csv
[[ $(awk -F, 'NR > 1 && $2 == 1 + (NR - 2) % 3' auto.csv | wc -l) -ge 85 ]] || fail 'the choice without options does not find the topics'
run 0 select words.svmlight -o best.model --kernels cosine,linear,knn
# Memory: the 72 MB of dense points, read and copied, would not fit.
run 0 plan words.svmlight --kernel cosine && shows 'kernel (stored|recomputed)'
run 0 fit words.svmlight -o small.model --kernel cosine --memory 100MB
run 3 fit words.svmlight -o no.model --kernel cosine --precision single && says 'sparse'
# scikit-learn counts features from 0, and a few new texts may lack the first one.
printf '1 0:1 3:1\n2 1:1 4:1\n-1 0:1 4:1\n' >zero.svmlight
run 0 fit zero.svmlight -o zero.model --kernel linear
printf '1 1:1 4:1\n' >some.svmlight
printf '1 0:0 1:1 4:1\n' >same.svmlight
run 0 predict zero.model some.svmlight -o some.csv && run 0 predict zero.model same.svmlight -o same.csv
same some.csv same.csv
run 0 data convert zero.svmlight zero.npz && run 0 fit zero.npz -o other.model --kernel linear
run 0 predict other.model some.svmlight -o some.csv && says 'no index is 0, so indices are read as counting from 1'
run 3 predict words.model same.svmlight -o no.csv && says 'has index 0, but the file that the model was fitted on'
# Files of scikit-learn and SciPy (tests/files/make_words.py).
files=$(dirname "$checks")/../files
for name in words words_one; do
  run 0 data convert "$files/$name.svmlight" read.csv && same read.csv "$files/words.expected"
done
run 0 data convert "$files/words.npz" read.csv --labels "$files/words.labels.txt"
sed -E 's/([0-9]\.[0-9]{12})[0-9]+/\1/g' read.csv >short.csv
sed -E 's/([0-9]\.[0-9]{12})[0-9]+/\1/g' "$files/words.expected" >expected.csv
same short.csv expected.csv
# Bad input.
printf '1 1:1 2:nan\n2 1:1\n' >bad.svmlight
run 3 fit bad.svmlight -o no.model && says 'line 1' && says 'finite'
printf '1 1:1 -2:1\n2 1:1\n' >bad.svmlight
run 3 fit bad.svmlight -o no.model && says 'ascending'
printf '1 100001:1\n' >wide.svmlight
run 3 predict words.model wide.svmlight -o no.csv && says '100001'
