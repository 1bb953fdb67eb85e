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
# Bad input.
printf '1 1:1 2:nan\n2 1:1\n' >bad.svmlight
run 3 fit bad.svmlight -o no.model && says 'line 1' && says 'finite'
printf '1 1:1 -2:1\n2 1:1\n' >bad.svmlight
run 3 fit bad.svmlight -o no.model && says 'ascending'
printf '1 100001:1\n' >wide.svmlight
run 3 predict words.model wide.svmlight -o no.csv && says '100001'
