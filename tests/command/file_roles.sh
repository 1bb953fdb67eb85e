# shellcheck shell=bash disable=SC2154
# No output replaces an input or another output, however their paths are spelled.
make_moons
run 0 data convert moons.csv moons.npy
mv moons.labels.txt y.txt
printf '0 1 60 61\n' >labeled.txt
mkdir folder
ln -s .. folder/up
ln moons.csv hard.csv
ln -s moons.csv soft.csv
run 0 fit moons.csv -o model.npz
run 0 predict model.npz -o answers.csv
mkdir kept
cp moons.csv moons.npy y.txt labeled.txt model.npz answers.csv kept
untouched() {
  local file
  for file in kept/*; do same "$file" "${file#kept/}"; done
}

for spelled in moons.csv ./moons.csv folder/../moons.csv folder/up/moons.csv "$PWD/moons.csv" \
  hard.csv soft.csv; do
  run 2 fit moons.csv -o "$spelled" && says "output: .*moons.csv|hard.csv|soft.csv is also an input \\(INPUT\\)"
done
run 2 fit moons.npy --labels y.txt -o y.txt && says 'output: y.txt is also an input \(--labels\)'
run 2 fit moons.npy --labels y.txt --labeled labeled.txt -o ./labeled.txt && says '\(--labeled\)'
run 2 select moons.npy --labels y.txt -o folder/up/y.txt && says '\(--labels\)'
run 2 select moons.csv --plot same.svg -o ./same.svg && says 'plot: same.svg is also an output \(--output\)'
run 2 graph moons.npy --labels y.txt -o y.txt && says '\(--labels\)'
run 2 data convert moons.csv ./moons.csv && says 'OUTPUT: ./moons.csv is also an input \(INPUT\)'
run 2 data convert moons.npy --labels y.txt y.txt && says '\(--labels\)'
run 2 predict model.npz -o model.npz && says 'is also an input \(MODEL\)'
run 2 predict model.npz moons.csv -o soft.csv && says 'is also an input \(NEW\)'
untouched

# Two outputs with the same path, even if neither exists yet.
run 2 fit moons.csv -o u.npz --list-unreached ./u.npz
says 'list-unreached: ./u.npz is also an output \(--output\)'
run 2 fit moons.csv -o folder/u.npz --list-unreached folder/up/folder/u.npz
run 2 predict model.npz -o answers.csv --list-unreached ./answers.csv
run 2 predict model.npz -o "$PWD/u.csv" --list-unreached u.csv
[[ ! -e u.npz && ! -e u.csv && ! -e folder/u.npz ]] || fail 'a rejected command wrote a file'
untouched
# A device may be given twice.
run 0 predict model.npz -o /dev/null --list-unreached /dev/null
# A column is not a file, even if the output has the same name.
run 0 fit moons.csv --labels label -o label
rm label

mkdir data
run 0 data make block-model -o data/dblp.npz --blocks 110,110,110,110 --p-in 0.06 --p-out 0.01
cp data/dblp.npz dblp.kept
reproduce() { run "$1" reproduce --data data --datasets dblp --seeds 1 --methods LP "${@:2}"; }
reproduce 2 --html data/dblp.npz && says 'html: data/dblp.npz is also an input \(--data\)'
reproduce 2 --checkpoint data/../data/dblp.npz && says 'checkpoint: .* is also an input \(--data\)'
reproduce 2 --checkpoint cells --html ./cells && says 'html: ./cells is also an output \(--checkpoint\)'
reproduce 0 --checkpoint cells
reproduce 2 --checkpoint cells --html ./cells && says '\(--checkpoint\)'
reproduce 2 --figure p --plot f.svg --html ./f-p-inductive.svg && says 'plot: .*\(--html\)'
same dblp.kept data/dblp.npz

# A file that the user did not name is replaced only by identical content.
echo 'mine' >moons.labels.txt
cp moons.labels.txt mine.txt
run 1 data convert moons.csv moons.npy && says 'moons.labels.txt.*move.*another name'
same mine.txt moons.labels.txt
untouched
rm moons.labels.txt
run 0 data convert moons.csv moons.npy
run 0 data convert moons.csv moons.npy
