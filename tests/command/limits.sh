# shellcheck shell=bash disable=SC2154
# A run that exceeds system limits ends soon with the right exit code and never hangs.
make_moons
for megabytes in 100 150 200 250 300 350 400 500; do
  for arguments in '--version' 'fit moons.csv -o m.npz' 'fit digits -o d.npz --per-class 5'; do
    rm -f m.npz d.npz
    # shellcheck disable=SC2086
    (
      ulimit -v $((megabytes * 1000))
      timeout -k 1 30 "$stkr" $arguments >out 2>err
      echo $? >code
    )
    last="stkr $arguments in $megabytes MB of address space"
    case $(cat code) in
      0) ;;
      5) says 'memory' ;;
      *) fail "$last: exit $(cat code): $(cat err)" ;;
    esac
    [[ $(cat code) == 0 || ! -e m.npz && ! -e d.npz ]] || fail "$last left a file"
  done
done
[[ $(cat code) == 0 ]] || fail "500 MB is not enough for digits: $(cat err)"

# The model does not depend on the number of threads, requested or available.
run 0 fit moons.csv -o one.npz --threads 1
run 0 fit moons.csv -o many.npz --threads 200
same one.npz many.npz
OMP_NUM_THREADS=3 run 0 fit moons.csv -o three.npz
same one.npz three.npz
