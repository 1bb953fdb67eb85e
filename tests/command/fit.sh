# shellcheck shell=bash disable=SC2154
make_moons
run 0 fit moons.csv -o moons.npz
shows '^data .*120 points x 2 features, 2 classes, 8 labelled' '^kernel .*rbf.*default' \
  '^transform .*inverse-laplacian' '^solver .*converged' '^model +moons.npz'
! grep -qE '[0-9]\.[0-9]{8,}' out || fail "$last shows long numbers: $(cat out)"
run 0 fit digits -o digits.npz --per-class 5 --method kernel-ridge
shows '50 labelled' 'accuracy [0-9.]+% on 1,747 samples'
run 0 fit karate -o karate.npz --per-class 2 --kernel lazy-walk --threads 64
shows 'graph of 34 nodes' 'lazy-walk'
run 0 data make swiss-roll -o roll.csv --samples 60
run 0 fit roll.csv -o roll.npz --kernel matern32 && shows '1 target, 60 labelled'
for transform in '--power 3' '--time 2' '--d 3' '--transform polynomial --coefficients 0,1,1' \
  '--transform reciprocal --coefficients 1,-0.5 --r 2' '--eta 0.9'; do
  # shellcheck disable=SC2086
  run 0 fit moons.csv -o t.npz $transform
done
for method in kernel-pca kernel-ridge label-propagation; do
  run 0 fit moons.csv -o t.npz --method $method
done
run 0 fit moons.csv -o t.npz --precision single --center
shows '^precision .*products off by [0-9.]+e-[0-9]+ relative on 64 sampled rows'
run 0 fit moons.csv -o t.npz --precision single --json
shows 'products off by [0-9.]+e-[0-9]+ relative on 64 sampled rows'

# A ridge system by conjugate gradients names its preconditioner.
run 0 fit digits -o t.npz --power 1 --beta 1e-8 --solver cg
shows '^preconditioner +nystrom, rank [0-9]+: [0-9]+ of the products'
run 0 fit digits -o t.npz --power 1 --beta 1e-8 --solver cg --json
shows '"preconditioner": "nystrom, rank [0-9]+"' '"preconditioner_products": [0-9]+'
printf 'a,b,label\n1,1,a\n1,1,b\n1,1,a\n' >constant.csv
run 3 fit constant.csv -o t.npz && says 'constant' '--length-scale'

# The same answer for any number of threads, the same again for the same seed.
for threads in 1 2; do
  run 0 fit digits -o d$threads.npz --per-class 3 --power 4 --threads $threads --seed 7
  run 0 predict d$threads.npz -o d$threads.csv --threads $threads
done
same d1.npz d2.npz
same d1.csv d2.csv
run 0 fit digits -o d3.npz --per-class 3 --power 4 --seed 8
! cmp -s d1.npz d3.npz || fail 'the seed makes no difference'

# Labels as a column, a file, or an index beside complete labels where -1 is a class.
printf 'a,b,kind\n0,0,x\n0,1,x\n5,5,y\n5,6,\n' >column.csv
run 0 fit column.csv -o c.npz --labels kind && shows '2 classes, 3 labelled'
printf 'a,b\n0,0\n0,1\n5,5\n5,6\n' >plain.csv
printf 'x\nx\ny\n\n' >labels.txt
run 0 fit plain.csv -o f.npz --labels labels.txt && shows '2 classes, 3 labelled'
run 0 predict c.npz -o c.csv
run 0 predict f.npz -o f.csv
same c.csv f.csv
printf 'a,b,label\n0,0,-1\n0,1,-1\n5,5,1\n5,6,1\n' >signs.csv
printf '0\n3\n' >index.txt
run 0 fit signs.csv -o s.npz --labeled index.txt && shows '2 classes, 2 labelled' 'on 2 samples'
run 0 predict s.npz -o s.csv
[[ $(cut -d, -f2 s.csv | tr '\n' ' ') == 'prediction -1 -1 1 1 ' ]] || fail "signs: $(cat s.csv)"
run 3 fit signs.csv -o n.npz && says "csv: all 2 labelled samples are of class '1'"
run 0 fit signs.csv -o s.npz --minus-one-is-class && shows '2 classes, 4 labelled'
