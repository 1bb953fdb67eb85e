# shellcheck shell=bash disable=SC2154
make_moons
run 0 fit moons.csv -o moons.npz
run 0 predict moons.npz -o seen.csv && shows 'samples +120 fitted$'
lines seen.csv 121
# The memory estimate depends on the model, not on the content of freed memory.
MALLOC_PERTURB_=165 run 0 predict moons.npz -o perturbed.csv
same seen.csv perturbed.csv
[[ $(head -n 1 seen.csv) == index,prediction,evidence,tie,score_0,score_1 ]] ||
  fail "header $(head -n 1 seen.csv)"
run 0 data make two-moons -o new.csv --samples 30 --seed 9
run 0 predict moons.npz new.csv -o answers.csv && shows 'samples +30 new$'
lines answers.csv 31
# The fitted points, given as new points, get the same predictions.
run 0 predict moons.npz moons.csv -o again.csv
cut -d, -f1-3 seen.csv >seen.txt
cut -d, -f1-3 again.csv >again.txt
same seen.txt again.txt
# svmlight omits zeros, so a file may end before the last feature.
printf '0 1:0.5\n1 1:0.2\n' >short.svmlight
run 0 predict moons.npz short.svmlight -o short.csv
lines short.csv 3

make_graph
run 0 fit graph.npz -o graph.model
printf '0 0\n0 1\n1 40 2.5\n3 2\n' >edges.txt
run 0 predict graph.model edges.txt -o nodes.csv && shows 'no evidence +1 that no label reaches'
lines nodes.csv 5
# Two equally frequent classes and no distance to decide by: a tie, marked as such.
grep -qE '^2,[01],0,1,0,0$' nodes.csv || fail "a node without edges: $(cat nodes.csv)"
[[ $(cut -d, -f4 nodes.csv | sort | uniq -c | xargs) == '3 0 1 1 1 tie' ]] ||
  fail "ties: $(cat nodes.csv)"
shows 'no evidence +1 that no label reaches.*1 of them .*tie'
printf '%%%%MatrixMarket matrix coordinate real general\n4 60 4\n1 1 1\n1 2 1\n2 41 2.5\n4 3 1\n' \
  >edges.mtx
run 0 predict graph.model edges.mtx -o matrix.csv
same nodes.csv matrix.csv

# Predictions are written to a device directly, and the report goes to the other stream.
"$stkr" predict graph.model edges.txt -o /dev/stdout >direct.csv 2>report.txt || fail 'to /dev/stdout'
same nodes.csv direct.csv
grep -qE '^samples .* new$' report.txt || fail "report: $(cat report.txt)"
"$stkr" predict graph.model edges.txt -o /dev/stdout 2>/dev/null | cat >piped.csv
same nodes.csv piped.csv
run 0 predict graph.model edges.txt -o /dev/null
[[ -c /dev/null ]] || fail '/dev/null was replaced'

# More samples than are held at a time.
run 0 data make two-moons -o many.csv --samples 9001 --seed 9
run 0 data convert many.csv many.npz
run 0 predict moons.npz many.csv -o many_csv.csv && shows 'samples +9,001 new$'
run 0 predict moons.npz many.npz -o many_npz.csv
same many_csv.csv many_npz.csv
lines many_csv.csv 9002

run 0 data make swiss-roll -o roll.csv --samples 60
run 0 fit roll.csv -o roll.npz
run 0 predict roll.npz roll.csv -o roll_out.csv
[[ $(head -n 1 roll_out.csv) == index,prediction,evidence,score_target ]] ||
  fail "header $(head -n 1 roll_out.csv)"

# New nodes for a sum of graph kernel and feature kernel: edges and features, in the same order.
make_attributed
run 0 fit mixed.npz -o sum.npz --add-kernel rbf:0.5
printf '0 0\n0 1\n1 40 2.5\n' >edges.txt
printf 'a,b,c\n1,0,0\n0,1,0\n0,1,0.1\n' >features.csv
run 0 predict sum.npz edges.txt --features features.csv -o nodes.csv
lines nodes.csv 4
grep -qE '^2,[0-3],1,' nodes.csv || fail "a node with features only: $(cat nodes.csv)"
run 0 fit mixed.npz -o graph.model --kernel lazy-walk
run 0 fit mixed.npz -o features.model --add-kernel rbf:1
run 0 predict features.model features.csv -o alone.csv
lines alone.csv 4
run 3 predict sum.npz edges.txt -o none.csv && says 'edges and features' '--features'
run 3 predict graph.model edges.txt --features features.csv -o none.csv && says 'uses only edges'
run 3 predict features.model features.csv --features features.csv -o none.csv && says 'omit --features'
run 2 predict sum.npz --features features.csv -o none.csv && says 'also pass their edges'
printf 'a,b,c\n1,0,0\n' >short.csv
run 3 predict sum.npz edges.txt --features short.csv -o none.csv && says '1 new nodes' 'edges of at least 2'
printf 'a,b\n1,0\n0,1\n' >narrow.csv
run 3 predict sum.npz edges.txt --features narrow.csv -o none.csv && says '2' '3'
[[ ! -e none.csv ]] || fail 'none.csv was written'

# Features that are smoothed over the graph: new nodes have edges and features, for one kernel.
for options in cosine:1:smooth=2 rbf:1:smooth=1 cosine:0.5:smooth=1; do
  run 0 fit mixed.npz -o smooth.model --add-kernel "$options"
  run 0 predict smooth.model edges.txt --features features.csv -o smooth.csv
  lines smooth.csv 4
  grep -qE '^2,[0-3],1,' smooth.csv || fail "a node with features only: $(cat smooth.csv)"
  run 3 predict smooth.model edges.txt -o none.csv && says 'edges and features' '--features'
done
[[ ! -e none.csv ]] || fail 'none.csv was written'

# Class names that contain field separators are read back unchanged, also from predictions.
printf 'x,label\n0,a;b\n1,a;b\n5,"c\td;;;;;;"\n6,"c\td;;;;;;"\n' >odd.csv
run 0 fit odd.csv -o odd.npz
run 0 predict odd.npz -o odd_out.csv
run 0 data info odd_out.csv --labels prediction --json
shows '"name": "a;b"' '"name": "c\\td;;;;;;"' '"features": 4'

# A feature named y, which is also a usual name for labels.
printf 'x,y,label\n0,0,a\n0,1,a\n5,5,b\n5,6,b\n1,0,\n' >named.csv
run 0 fit named.csv -o named.npz
printf 'y,x\n0,0\n5,6\n' >new_named.csv
run 0 predict named.npz new_named.csv -o named_out.csv && says 'matched by name'
[[ $(cut -d, -f2 named_out.csv | tr '\n' ' ') == 'prediction a b ' ]] || fail "$(cat named_out.csv)"

# If classes are equally frequent, a point without evidence gets the class of the nearest label.
printf 'x,label\n0,a\n1,a\n100,b\n101,b\n' >apart.csv
run 0 fit apart.csv -o apart.npz --kernel rbf --length-scale 1
printf 'x\n1000\n-1000\n0.5\n' >beyond.csv
run 0 predict apart.npz beyond.csv -o beyond_out.csv
[[ $(cut -d, -f2-4 beyond_out.csv | tail -n 3 | xargs) == 'b,0,0 a,0,0 a,1,0' ]] ||
  fail "nearest: $(cat beyond_out.csv)"
