# shellcheck shell=bash disable=SC2154
# Names of nodes and classes: new nodes are matched by name, and invalid names are rejected early.

# The same graph numbered from 0 and, with labels by name, from 1: the same predictions for new nodes.
make_graph
run 0 data convert graph.npz zero.tsv
grep -v '^#' zero.tsv | awk '{print $1 + 1 "\t" $2 + 1}' >one.tsv
awk 'BEGIN {print "node,label"} NF {print NR "," $0}' zero.labels.txt >one.labels.csv
run 0 fit zero.tsv -o zero.model --labels zero.labels.txt
run 0 fit one.tsv -o one.model --labels one.labels.csv && says 'nodes are ordered by name, from 1 to 60'
printf '0 59\n0 4\n1 2 2.5\n2 31\n' >new_zero.txt
printf 'a 60\na 5\nb 3 2.5\nc 32\n' >new_one.txt
run 0 predict zero.model new_zero.txt -o zero.csv
run 0 predict one.model new_one.txt -o one.csv
[[ $(head -n 1 one.csv) == index,node,prediction,evidence,tie,score_0,score_1 ]] ||
  fail "header $(head -n 1 one.csv)"
[[ $(cut -d, -f2 one.csv | xargs) == 'node a b c' ]] || fail "names: $(cat one.csv)"
cut -d, -f2 --complement one.csv >nameless.csv
same zero.csv nameless.csv
# ... and for the fitted nodes.
run 0 predict zero.model -o zero_seen.csv
run 0 predict one.model -o one_seen.csv
cut -d, -f2 --complement one_seen.csv >nameless.csv
same zero_seen.csv nameless.csv
[[ $(sed -n 61p one_seen.csv | cut -d, -f1,2) == 59,60 ]] || fail "$(tail -n 1 one_seen.csv)"

bad_edges() { # CONTENT PATTERNS...
  printf "$1" >bad.txt
  shift
  run 3 predict one.model bad.txt -o none.csv
  says 'bad\.txt' "$@"
}
bad_edges 'a 60\nb 0\n' "line 2: '0' is not a node of the graph" "such as '1'"
bad_edges 'a 60\n7 3\n' "line 2: '7' is a node of the graph" 'new_7'
bad_edges '# nodes 3\na 60\n' "'# nodes 3' contradicts"
[[ ! -e none.csv ]] || fail 'none.csv was written'
# A matrix has no names: its columns are the nodes of the model in order.
printf '%%%%MatrixMarket matrix coordinate real general\n3 60 4\n1 60 1\n1 5 1\n2 3 2.5\n3 32 1\n' \
  >new.mtx
run 0 predict one.model new.mtx -o matrix.csv
same zero.csv matrix.csv

# Conversion keeps names, and node lists contain them.
run 0 data convert one.tsv named.npz --labels one.labels.csv
run 0 fit named.npz -o named.model
run 0 predict named.model new_one.txt -o named.csv
same one.csv named.csv
run 0 data convert named.npz back.tsv
run 0 data info back.tsv && shows 'graph of 60 nodes' 'from 1 to 60'
printf 'anna\tbert\nbert\tcarl\nxeno\tyves\n' >people.tsv
printf 'name,label\nanna,x\ncarl,y\n' >people.csv
run 0 fit people.tsv -o people.model --labels people.csv --list-unreached fit_lost.csv
run 0 predict people.model -o people.out --list-unreached lost.csv
[[ $(cut -d, -f1,2 fit_lost.csv | xargs) == 'index,node 3,xeno 4,yves' ]] || fail "$(cat fit_lost.csv)"
[[ $(cat lost.csv | xargs) == 'index,node,component,component_size 3,xeno,, 4,yves,,' ]] ||
  fail "$(cat lost.csv)"
printf 'zoe anna\nwill yves\n' >joins.txt
run 0 predict people.model joins.txt -o joined.csv --list-unreached lost.csv
[[ $(cut -d, -f2,3 joined.csv | sed -n 2p) == zoe,x ]] || fail "$(cat joined.csv)"
[[ $(tail -n 1 lost.csv) == 1,will,, ]] || fail "$(cat lost.csv)"

# If new nodes have features, the nodes are numbered by the feature rows.
printf 'f\n0\n0.1\n0.2\n1\n1.1\n' >people_features.csv
run 0 fit people.tsv -o sum.model --labels people.csv --features people_features.csv --add-kernel rbf:0.5
printf '0 anna\n2 carl\n' >rows.txt
printf 'f\n0\n1\n0.2\n' >rows.csv
run 0 predict sum.model rows.txt --features rows.csv -o rows.out
lines rows.out 4
run 3 predict sum.model joins.txt --features rows.csv -o none.csv && says "'zoe'" 'rows of their features'

# Names that are not UTF-8 are rejected with their line, before any work is done.
printf 'x,y,label\n0,0,m\xe4nnlich\n1,1,weiblich\n0.1,0,\n' >latin.csv
run 3 fit latin.csv -o latin.npz && says 'latin\.csv: line 2' 'm\\xe4nnlich' 'iconv -f latin1'
printf 'gr\xf6sse,label\n0,a\n1,b\n' >latin.csv
run 3 fit latin.csv -o latin.npz && says 'latin\.csv: line 1' 'gr\\xf6sse'
printf 'anna\tbert\nbert\tj\xf6rg\n' >latin.tsv
run 3 fit latin.tsv -o latin.npz --labels people.csv && says 'latin\.tsv: line 2'
[[ ! -e latin.npz ]] || fail 'latin.npz was written'
# A path need not be UTF-8; JSON output replaces the invalid bytes.
make_moons
path=$(printf 'm\xe4nnlich.npz')
run 0 fit moons.csv -o "$path" --json
is_json out
[[ -s $path ]] || fail 'no model at that path'
run 0 predict "$path" -o p.csv --json
is_json out

# Terminal escapes in class names are displayed escaped; predictions contain them unchanged.
printf 'x,label\n0,a\x1b[31m\n1,a\x1b[31m\n5,b\n6,b\n' >escape.csv
run 0 data info escape.csv && shows 'a\\x1b\[31m: 2'
run 0 fit escape.csv -o escape.npz
grep -q $'\x1b' out err && fail 'an escape in a summary'
run 0 predict escape.npz -o escape.out
grep -q $'^0,a\x1b\\[31m,' escape.out || fail "$(cat -v escape.out)"
printf 'x,label\n0,a\x1b[31m\n1,a\x1b[31m\n' >escape.csv
run 3 fit escape.csv -o none.npz && says 'a\\x1b\[31m'
