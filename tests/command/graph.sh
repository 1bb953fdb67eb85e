# shellcheck shell=bash disable=SC2154
# Builds a graph from points, in every graph format.
run 0 graph digits -o digits.npz
shows '^neighbors +10, exact' '^degrees +10 to [0-9]+, median' '^components +1, the largest of 1,797' \
  '^edges +either, self-tuning'
run 0 data info digits.npz && shows 'graph of 1,797 nodes' '^degrees' '^weights'
run 0 graph digits -o digits.mtx -k 5 --edges mutual --edge-weight binary --json
is_json out
shows '"edges": "mutual"' '"isolated_nodes"' '"median_degree"'
run 0 data info digits.mtx --json && shows '"largest_degree": 5' '"largest_weight": 1.0'
run 0 graph digits -o heat.npz --edge-weight heat --length-scale 20
shows 'length scale 20'

# The same graph for any number of threads, exact or not.
run 0 data make two-moons -o moons.npy --samples 3000
for recall in 1 0.9; do
  for threads in 1 3; do
    run 0 graph moons.npy -o m$threads.mtx --recall $recall --threads $threads
  done
  same m1.mtx m3.mtx
done
shows '% of the true ones'

# Learning on the graph equals learning on the points with the kernel knn.
run 0 fit digits.npz -o graph_model.npz --per-class 5
run 0 predict graph_model.npz -o graph.csv
run 0 fit digits -o point_model.npz --per-class 5 --kernel knn
shows '^kernel +knn\(k=10, self-tuning edges, either, exact\)'
run 0 predict point_model.npz -o point.csv
cut -d, -f1-2 graph.csv >g.txt
cut -d, -f1-2 point.csv >p.txt
same g.txt p.txt

# Predictions for new points.
run 0 data make two-moons -o train.csv --samples 300 --per-class 3
run 0 data make two-moons -o new.csv --samples 200 --seed 5
for options in '' '--edge-weight cosine' '--edges mutual --neighbors 12' '--edge-weight heat' \
  '--principal-components 1'; do
  # shellcheck disable=SC2086
  run 0 fit train.csv -o moons.npz --kernel knn $options
  run 0 predict moons.npz new.csv -o new_answers.csv
  lines new_answers.csv 201
done
run 0 fit digits -o components.npz --per-class 5 --principal-components 20
shows '^kernel +knn\(k=10, self-tuning edges, either, 20 principal components, exact\)' \
  '^repeat with +stkr fit digits .*--principal-components 20 .*--kernel knn '
run 0 fit train.csv -o implied.npz --neighbors 8 && shows 'knn\(k=8'
# Spellings of version 0.1.
run 0 fit train.csv -o old.npz --neighbours 8 && same implied.npz old.npz
run 0 fit train.csv -o new.npz --kernel epsilon_neighbor --length-scale 0.3
run 0 fit train.csv -o old.npz --kernel epsilon_neighbour --length-scale 0.3 && same new.npz old.npz
run 0 select train.csv --kernel knn --neighbour-counts 5,8 --families power

# What cannot be done is said.
run 5 graph digits -o e.npz --memory 27MB && says 'graph of 10 neighbors needs about' '27.0 MB'
printf 'a,b\n1,2\n1,2\n1,2\n' >equal.csv
run 0 graph equal.csv -o equal.npz -k 2 && shows '^equal points +2' '^components +1'
run 2 graph equal.csv -o e.npz -k 3 && says 'k = 3 neighbors of 3 points; expected k from 1 to 2'
printf 'a,b\n1,2\n1,nan\n1,2\n' >nan.csv
run 3 graph nan.csv -o e.npz -k 1
run 3 graph digits.npz -o e.npz && says 'is a graph; expected points'
run 2 graph digits -o e.npz -k 0
run 2 graph digits -o e.npz --recall 1.5
run 2 graph digits -o e.npz --principal-components 0
run 3 graph digits -o e.npz --principal-components 65 &&
  says '65 principal components of 64 features; expected 1 to 64'
run 2 graph digits -o e.npz --length-scale 2 && says 'only with --edge-weight heat'
run 2 fit digits -o e.npz --kernel rbf --neighbors 5 && says 'only to --kernel knn'
run 2 fit train.csv -o e.npz --kernel knn --normalize && says 'already normalized'
run 2 fit digits.npz -o e.npz --kernel knn && says 'builds a graph from points'
run 2 fit train.csv -o e.npz --kernel knn --neighbors 300 && says 'expected k from 1 to 299'
[[ ! -e e.npz ]] || fail 'a rejected graph left a file'
