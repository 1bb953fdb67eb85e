# shellcheck shell=bash disable=SC2154
# predict with models and new samples that it must reject.
run 0 data make two-moons -o moons.csv --samples 40 --per-class 4
run 0 fit moons.csv -o good.npz
size=$(wc -c <good.npz)

# Changes one byte in the numbers, in the metadata, and in the directory at the end.
for at in $((size / 5)) $((size / 2)) $((size - 300)) $((size - 1)); do
  cp good.npz changed.npz
  old=$(dd if=good.npz bs=1 skip=$at count=1 2>dd.log | od -An -tu1)
  printf "\\x$(printf %x $(((old + 1) % 256)))" |
    dd of=changed.npz bs=1 seek=$at conv=notrunc 2>dd.log
  run 3 predict changed.npz -o p.csv
  says 'changed\.npz' 'checksum|damaged'
done
for length in 0 10 $((size / 2)) $((size - 1)); do
  head -c "$length" good.npz >cut.npz
  run 3 predict cut.npz -o p.csv
  says 'cut\.npz' 'empty|truncated|damaged'
done
run 3 predict absent.npz -o p.csv && says 'absent\.npz'
run 3 predict moons.csv -o p.csv && says 'moons\.csv' 'not an \.npz'
run 3 predict . -o p.csv && says '\.: '
run 0 data convert moons.csv data.npz
run 3 predict data.npz -o p.csv && says 'data\.npz' 'not written by stkr'

printf 'x,y,z\n1,2,3\n' >wide.csv
run 3 predict good.npz wide.csv -o p.csv && says 'wide\.csv' "'z'" 'expected the 2 columns'
printf '1,2,3\n' >bare.csv
run 3 predict good.npz bare.csv -o p.csv && says 'bare\.csv' '3 features' '2'
printf 'x,y\n1,2\n1,nan\n' >nan.csv
run 3 predict good.npz nan.csv -o p.csv && says 'nan\.csv' 'line 3' 'nan'
run 3 predict good.npz absent.csv -o p.csv && says 'absent\.csv'
printf '' >empty.csv
run 3 predict good.npz empty.csv -o p.csv && says 'empty\.csv' 'empty'

make_graph
run 0 fit graph.npz -o graph.model
printf '0 3\n0 60\n' >edges.txt
run 3 predict graph.model edges.txt -o p.csv && says 'edges\.txt' 'line 2' '60' '0 to 59'
printf '0 3 -1\n' >edges.txt
run 3 predict graph.model edges.txt -o p.csv && says 'edges\.txt' 'line 1' '-1'
run 3 predict graph.model moons.csv -o p.csv && says 'moons\.csv'
[[ ! -e p.csv ]] || fail 'a rejected prediction wrote a file'
