# shellcheck shell=bash disable=SC2154
# Data written in one format and read back is unchanged.
run 0 data make two-moons -o moons.csv --samples 40 --per-class 4
cut -d, -f1,2 moons.csv | tail -n +2 >features.txt
cut -d, -f3 moons.csv | tail -n +2 >labels.txt
for format in csv npz npy mtx svmlight; do
  run 0 data convert moons.csv points.$format
  labels=()
  case $format in npy | mtx) labels=(--labels points.labels.txt) && shows 'points.labels.txt' ;; esac
  run 0 data convert points.$format back.csv "${labels[@]}"
  cut -d, -f1,2 back.csv | tail -n +2 >back_features.txt
  cut -d, -f3 back.csv | tail -n +2 >back_labels.txt
  same features.txt back_features.txt
  same labels.txt back_labels.txt
  # ... and gives the same model.
  run 0 fit points.$format -o $format.model "${labels[@]}" --power 2
  run 0 predict $format.model -o $format.out
  same csv.out $format.out
done

make_graph
run 0 data convert graph.npz first.tsv
for format in npz mtx tsv; do
  run 0 data convert graph.npz net.$format
  labels=()
  case $format in mtx | tsv) labels=(--labels net.labels.txt) ;; esac
  run 0 data convert net.$format back.tsv "${labels[@]}"
  same first.tsv back.tsv
  run 0 fit net.$format -o $format.model "${labels[@]}"
  run 0 predict $format.model -o $format.out
  same npz.out $format.out
done
printf 'source,target,weight\n0,1,2\n1,2,1\n' >edges.csv
run 0 data info edges.csv --kind graph && shows 'graph of 3 nodes and 4 entries'

# Whole numbers are classes in any representation: with -1 and NaN for unlabeled, -1.0 and NA in text.
printf 'x,label\n0,0\n0.1,\n5,1\n5.1,\n' >blank.csv
run 0 fit blank.csv -o blank.model --power 2
run 0 predict blank.model -o blank.out
for none in -1 -1.0 nan NaN NA NULL; do
  sed "s/,$/,$none/" blank.csv >marked.csv
  run 0 fit marked.csv -o marked.model --power 2
  shows '2 classes, 2 labeled'
  run 0 predict marked.model -o marked.out
  same blank.out marked.out
done
sed 's/,$/,NA/' blank.csv >marked.csv
run 0 fit marked.csv -o marked.model && says "2 cells are read as unlabeled .2 'NA'"
cut -d, -f1 blank.csv >x.csv
run 0 data convert x.csv x.npy
npy() { # DOUBLES: four numbers as NumPy writes them
  printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "{'descr': '<f8', 'fortran_order': False, 'shape': (4,), }"
  printf "$1"
}
zero='\x00\x00\x00\x00\x00\x00\x00\x00' one='\x00\x00\x00\x00\x00\x00\xf0\x3f'
minus='\x00\x00\x00\x00\x00\x00\xf0\xbf' nan='\x00\x00\x00\x00\x00\x00\xf8\x7f'
half='\x00\x00\x00\x00\x00\x00\xe0\x3f'
for none in "$minus" "$nan"; do
  npy "$zero$none$one$none" >y.npy
  run 0 fit x.npy -o array.model --labels y.npy --power 2
  shows '2 classes, 2 labeled'
  says 'labels: float64 whole numbers are read as 2 classes, 2 unlabeled' '--task regression'
  run 0 predict array.model -o array.out
  same blank.out array.out
done
run 0 fit x.npy -o array.model --labels y.npy --task regression && shows '1 target, 2 labeled'
npy "$zero$half$one$nan" >y.npy
run 0 fit x.npy -o array.model --labels y.npy && shows '1 target, 3 labeled'
# Regression targets that happen to be whole stay regression targets in an archive.
run 0 data convert blank.csv whole.npz --task regression
run 0 data info whole.npz && shows '1 target, 2 labeled'

# A precomputed kernel: new samples are kernel rows.
printf '3,2,0,0\n2,3,0,0\n0,0,3,2\n0,0,2,3\n' | sed '1i a,b,c,d' >kernel.csv
run 0 data convert kernel.csv kernel.npy
printf '0\n\n1\n\n' >kernel.labels
cp kernel.labels kernel_labels.txt
run 0 fit kernel.npy -o kernel.model --kind kernel --labels kernel_labels.txt --power 2
shows '4 x 4 kernel' 'precomputed'
run 0 predict kernel.model kernel.npy -o kernel.out
[[ $(cut -d, -f2 kernel.out | tr '\n' ' ') == 'prediction 0 0 1 1 ' ]] || fail "$(cat kernel.out)"

run 3 data convert moons.csv moons.tsv && says 'moons.tsv' 'points'
run 3 data convert graph.npz graph.csv && says 'graph.csv' 'graph'
run 2 data convert moons.csv moons.xyz && says 'moons.xyz' 'npz'
run 0 data list && shows 'karate' 'digits'
run 0 data info karate && shows '34 nodes' '^components +1, '
run 0 data info digits && shows '1,797 points x 64 features' '0: 178'
