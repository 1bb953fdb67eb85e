# All multithreaded code on small data: the same bytes as with one thread. Run by the thread sanitizer.

# Enough points for cells, and for several kernel tiles.
run 0 data make two-moons -o moons.npz --samples 2200 --per-class 10
run 0 data make two-moons -o few.npz --samples 900 --per-class 10
run 0 data make block-model -o graph.npz --blocks 400,400,400 --p-in 0.02 --p-out 0.003 --per-class 20
# alike FILE ARGUMENTS...: checks that the output does not depend on the number of threads.
alike() {
  run 0 "${@:2}" -o "one_$1" --threads 1
  run 0 "${@:2}" -o "$1" --threads 3
  same "$1" "one_$1"
}
alike cells.npz fit moons.npz --kernel knn --recall 0.9
alike new.csv predict cells.npz moons.npz
alike exact.npz fit moons.npz --kernel knn
alike rbf.npz fit few.npz
alike walk.npz fit graph.npz --solver minres
alike pca.npz fit graph.npz --method kernel-pca --d 8
alike edges.npz graph moons.npz -k 5
grid=(--families inverse-laplacian,power,kernel-pca --etas 0.9,0.999 --powers 2 --dimensions 16 --betas 1,1e-3)
alike chosen.npz select graph.npz "${grid[@]}" --kernels lazy-walk,symmetric
alike left.npz select graph.npz "${grid[@]}" --leave-one-out --class-mass both
