# shellcheck shell=bash disable=SC2154
# The memory that fit and select need, before they run.
make_moons
make_graph
run 0 plan moons.csv && shows 'neighbor graph'
run 0 plan moons.csv --kernel rbf && shows '120 points x 2 features, 8 labeled, 2 outputs' 'allowed' '\* +kernel'
run 0 plan graph.npz --memory 1GB && shows 'graph of 60 nodes' '1.00 GB allowed' '\* +graph'
run 0 plan digits --per-class 10 && shows '1,797 points x 64 features, 100 labeled, 10 outputs'
run 0 plan --points 20000x64 --labeled 100 --classes 10 --memory 16GB --kernel rbf && shows '\* +kernel stored'
run 0 plan --points 1000000x64 --labeled 100 --classes 10 --memory 16GB --kernel rbf
shows '1,000,000 points x 64' '\* +kernel recomputed' 'iterative' 'products'
run 0 plan --graph 10000000 --entries 200000000 --labeled 1000 --classes 10 --memory 20GB
shows '\* +graph'
run 0 plan --kernel-size 5000 --labeled 10 --memory 4GB && shows 'kernel given'
run 0 plan --graph 100000 --entries 2000000 --labeled 300 --select --memory 16GB
shows 'labels at a time'
run 0 plan --points 500x4 --labeled 20 && shows '^time +less than a second'
run 0 plan --points 200000x20 --labeled 200 --classes 5 --kernel rbf --memory 16GB
shows '^time +about [0-9.]+( to [0-9.]+)? (minutes|hours) on this machine' 'Hint: --kernel knn would take'
run 0 plan --points 200000x20 --labeled 200 --classes 5 --kernel knn --memory 16GB
! grep -q Hint out || fail 'a hint for a sparse kernel'
run 0 plan --points 200000x20 --labeled 200 --kernel rbf --json && is_json out && shows '"least": [0-9]' '"hint": '
run 0 plan karate --json --memory 2GB && shows '"memory": 2000000000' '"chosen": 0' '"bytes"'
is_json out
run 0 plan --points 100000x784 --labeled 100 --memory 1.4GB --kernel rbf && shows 'single'
run 0 plan --points 100000x784 --labeled 100 --memory 1.4GB --kernel rbf --precision double &&
  ! grep -q single out || fail 'a requested precision was not used'

# Nothing fits: the sizes are reported, and nothing is run.
run 5 plan digits --memory 1MB && shows 'Nothing fits in 1.00 MB'
run 5 fit digits -o m.npz --per-class 5 --memory 1MB && says 'the memory budget is 1.00 MB'
run 5 fit digits -o m.npz --per-class 5 --memory 26MB --kernel rbf
says 'the memory budget of 26.0 MB' 'kernel recomputed, explicit system: [0-9.]+ MB' 'blocks [0-9.]+'
run 5 select digits --per-class 5 --memory 26MB && says 'the memory budget of 26.0 MB'
run 5 fit moons.csv -o m.npz --memory 1MB && says 'reading moons.csv needs about'
run 0 fit digits -o d.npz --per-class 5
run 5 predict d.npz -o p.csv --memory 1MB && says 'predicting with d.npz needs about'
[[ ! -e m.npz && ! -e p.csv ]] || fail 'a run that does not fit wrote a file'

# A small memory budget changes the strategy, not the predictions.
run 0 fit digits -o roomy.npz --per-class 5 && shows '^memory .*about .*the fastest'
run 0 fit digits -o tight.npz --per-class 5 --memory 45MB --precision double
shows '^memory .*of 45.0 MB'
for name in roomy tight; do
  run 0 predict $name.npz -o $name.csv
  run 0 predict $name.npz digits -o $name.new.csv --memory 90%
  cut -d, -f1-3 $name.csv >$name.answers
  cut -d, -f1-3 $name.new.csv >$name.new.answers
done
same roomy.answers tight.answers
same roomy.new.answers tight.new.answers
run 0 select moons.csv --memory 60MB --json && cp out a.json
run 0 select moons.csv --json && [[ $(grep -c validation out) == $(grep -c validation a.json) ]] ||
  fail 'selections differ'

# Bad input.
run 2 fit karate -o m.npz --memory 0 && says "memory '0'.*not positive.*4GB"
run 2 fit karate -o m.npz --memory banana && says 'banana.*does not start with a number'
run 2 fit karate -o m.npz --memory 200% && says '200%.*exceeds 100%'
run 2 select karate --memory -3GB && says 'not positive'
run 2 plan karate --memory '4 apples' && says "'apples' is not a memory unit"
run 2 plan && says 'INPUT.*--points'
run 2 plan karate --points 10x2 && says 'give one of'
run 2 plan --points 10by2 --labeled 1 && says 'SAMPLESxFEATURES'
run 2 plan --points 10x2 && says 'the number of labeled samples'
run 2 plan --points 10x2 --labeled 11 && says 'exceeds the number of samples'
run 2 plan --graph 10 --labeled 2 && says 'needs --entries'
run 3 plan absent.npz && says 'no such file'
