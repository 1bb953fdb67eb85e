# shellcheck shell=bash disable=SC2154
# Graphs as NetworkX and igraph write them (tests/files/make_graphs.py), and lists by gzip.
files=${checks%/*/*}/files

# Every file holds the same graph, except that lists have no node without edges.
printf 'node,label\nValjean,barricade\nJavert,law\nMarius,barricade\n' >side.csv
for file in networkx_data.edgelist networkx_weighted.edgelist networkx_weighted.edgelist.gz; do
  run 0 data convert "$files/$file" list.tsv
  run 0 data info "$files/$file" --labels side.csv
  shows 'graph of 7 nodes' '14 entries' 'barricade: 2, law: 1' 'from Cosette to Éponine'
  [[ -e first.tsv ]] || cp list.tsv first.tsv
  same first.tsv list.tsv
done
grep -qP 'Marius\tÉponine\t5.5' first.tsv || fail "$(cat first.tsv)"
run 0 data convert "$files/networkx_data.csv" list.tsv --kind graph
same first.tsv list.tsv
run 0 data convert "$files/networkx_plain.edgelist" list.tsv
[[ $(cut -f 1,2 list.tsv) == $(cut -f 1,2 first.tsv) ]] || fail "$(cat list.tsv)"

for file in networkx igraph; do
  run 0 data info "$files/$file.graphml" --labels side
  shows 'graph of 8 nodes' '14 entries' 'barricade: 2, law: 1'
  run 0 data convert "$files/$file.graphml" "$file.npz" --labels side
  run 0 data convert "$files/$file.graphml" "$file.tsv"
done
same networkx.tsv igraph.tsv
grep -qP 'Valjean\tJavert\t17' igraph.tsv || fail "$(cat igraph.tsv)"
run 0 data info "$files/igraph.graphml" && shows 'named by their attribute name, from Valjean to Tholomyès'
gzip -c "$files/networkx.graphml" >packed.graphml
run 0 data convert packed.graphml packed.tsv
same networkx.tsv packed.tsv
run 3 data info "$files/networkx_directed.graphml" && says 'is directed' '--symmetrize'
run 0 data convert "$files/networkx_directed.graphml" directed.tsv --symmetrize
same networkx.tsv directed.tsv
run 3 data info "$files/networkx.graphml" --labels Side
says "labels 'Side': no such array, column or file; the data has side, chapter; did you mean side\?"

# Names come back with the answers, and new nodes refer to them.
run 0 fit "$files/networkx.graphml" -o side.npz --labels side
run 0 predict side.npz -o side_answers.csv
grep -qP '^5,Éponine,barricade,1' side_answers.csv || fail "$(cat side_answers.csv)"
printf 'Gavroche Éponine 1\nGavroche Éponine 2\n' | gzip >new.txt
run 0 predict side.npz new.txt -o new.csv && says '1 edge is listed more than once' 'largest'
run 3 predict side.npz new.txt -o none.csv --duplicates error
says "the edge of 'Gavroche' and 'Éponine' is listed 2 times, with weights such as 2 and 1"
# Node attributes are features if they are named.
run 0 fit "$files/networkx.graphml" -o features.npz --labels side --features chapter --add-kernel rbf:0.5

# Duplicates.
printf 'a b 1\na b 5\nb a 2\nb c 1\nc b 1\n' >twice.tsv
run 0 data convert twice.tsv max.tsv
shows '2 edges are listed more than once, 1 of them with different weights; the largest weight is used'
[[ $(tr '\t\n' '  ' <max.tsv) == 'source target weight a b 5 b c 1 ' ]] || fail "$(cat max.tsv)"
run 0 data convert twice.tsv sum.tsv --duplicates sum && shows 'the weights are added'
[[ $(tr '\t\n' '  ' <sum.tsv) == 'source target weight a b 8 b c 2 ' ]] || fail "$(cat sum.tsv)"
run 0 data convert twice.tsv both.tsv --duplicates sum --symmetrize
[[ $(tr '\t\n' '  ' <both.tsv) == 'source target weight a b 6 b c 1 ' ]] || fail "$(cat both.tsv)"
run 3 data info twice.tsv --duplicates error
says "twice.tsv: the edge of 'a' and 'b' is listed 3 times" '--duplicates max or sum'
run 2 data info twice.tsv --duplicates mean && says 'duplicates'

# Compressed text of every format, by content; damaged and truncated files.
make_moons
run 0 data convert moons.csv moons.svmlight
run 0 data convert moons.csv moons.mtx
for file in moons.csv moons.svmlight moons.mtx; do
  gzip -kf "$file"
  mkdir -p renamed && cp "$file.gz" "renamed/$file"
  run 0 data convert "$file" plain.npz
  run 0 data convert "$file.gz" packed.npz
  same plain.npz packed.npz
  run 0 data convert "renamed/$file" packed.npz
  same plain.npz packed.npz
  run 0 plan "$file.gz" --labels moons.csv.gz
done
run 0 fit moons.csv -o moons.model && run 0 predict moons.model moons.csv -o plain.csv
run 0 fit moons.csv.gz -o packed.model && run 0 predict packed.model moons.csv.gz -o packed.csv
same plain.csv packed.csv
head -c 300 moons.csv.gz >short.csv.gz
run 3 data info short.csv.gz && says 'short.csv.gz: the gzip data ends early: the file is truncated'
(head -c 300 moons.csv.gz && printf xxxx && tail -c +305 moons.csv.gz) >bad.csv.gz
run 3 data info bad.csv.gz && says 'bad.csv.gz: the gzip data is damaged'
run 3 data info networkx.npz.gz && says 'no such file'
gzip -c networkx.npz >npz.gz
run 3 data info npz.gz && says 'reads only for text; decompress it first'
run 2 data convert moons.csv out.csv.gz && says 'writes no compressed files; write out.csv'
# A small file that decompresses to more than the memory allows.
yes 1,1,1,1,1,1,1,1 | head -n 2000000 | gzip >bomb.csv.gz
run 5 fit bomb.csv.gz -o none.npz --memory 100MB
[[ ! -e none.npz ]] || fail 'none.npz was written'
