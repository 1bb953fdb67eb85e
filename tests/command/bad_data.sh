# shellcheck shell=bash disable=SC2154
# Invalid data: exit 3, the file and the place in the message, nothing written.
head='a,b,label\n0,0,x\n'
tail='1,1,y\n2,2,\n'
refuse() { # CONTENT PATTERNS...
  printf "$1" >bad.csv
  shift
  run 3 fit bad.csv -o m.npz
  says 'bad\.csv' "$@"
}
refuse "${head}nan,1,x\n$tail" 'line 3' 'nan'
refuse "${head}inf,1,x\n$tail" 'line 3' 'inf'
refuse "${head}1,x\n$tail" 'line 3' '2 (cells|fields|columns)' '3'
refuse "${head}1,two,x\n$tail" 'line 3, column b' "'two'" 'expected a finite number' '--drop b'
refuse "${head}1,,x\n$tail" 'line 3, column b: is empty'
refuse '' 'empty'
refuse '1,,0\n2,2,1\n' 'line 1, column 1: is empty'
refuse '1e400,2\n3,4\n' 'line 1, column 0' "'1e400'"
refuse 'a,b,label\n"1"2,3,x\n' 'line 2: field 1 continues after its closing quote'
head -c 50000000 /dev/zero | tr '\0' , >bad.csv
# (Sanitizers reserve terabytes of address space.)
([[ -n ${STKR_SANITIZE:-} ]] || ulimit -v 2000000; exec "$stkr" data info bad.csv >out 2>err)
[[ $? == 3 ]] || fail "50 million commas: $(cat err)"
last='50 million commas' && says 'bad\.csv: line 1: has 4000000 or more fields' '\.npy'
refuse 'a,b,label\n' 'no '
run 3 fit absent.csv -o m.npz && says 'absent\.csv' 'no such file' 'karate'
run 3 fit . -o m.npz && says '\.: is a folder'
printf '\x7fELF\x02\x01\x01' >foreign.npz
run 3 fit foreign.npz -o m.npz && says 'foreign\.npz'
make_graph
head -c 500 graph.npz >short.npz
run 3 fit short.npz -o m.npz && says 'short\.npz'
head -c 200 graph.npz >short.npy
run 3 fit short.npy -o m.npz && says 'short\.npy'

printf 'a,b\n0,0\n0,1\n5,5\n' >plain.csv
printf 'x\ny\n' >two.txt
run 3 fit plain.csv -o m.npz --labels two.txt && says '2 labels|labels.*2' '3'
run 3 fit plain.csv -o m.npz && says 'plain\.csv: no labeled sample'
run 3 fit plain.csv -o m.npz --labels color && says 'color' 'a, b'
printf -- '-1\n-1\n-1\n' >none.txt
run 3 fit plain.csv -o m.npz --labels none.txt && says 'plain\.csv: no labeled sample'
printf '1\n1\n-1\n' >one.txt
run 3 fit plain.csv -o m.npz --labels one.txt && says "csv: all 2 labeled samples are of class '1'"
printf 'x\ny\nx\n' >three.txt
printf '0\n7\n' >index.txt
run 3 fit plain.csv -o m.npz --labels three.txt --labeled index.txt && says '7' '0 to 2|3 samples'
printf '0\n0\n' >index.txt
run 3 fit plain.csv -o m.npz --labels three.txt --labeled index.txt && says 'twice'

printf '0\n1\n\n' >nodes.txt
edges() { # CONTENT PATTERNS...
  printf "$1" >bad.tsv
  shift
  run 3 fit bad.tsv -o m.npz --labels nodes.txt
  says 'bad\.tsv' "$@"
}
edges '0\t1\t1\n1\t2\t-3\n' 'line 2' '-3'
edges 'a\tb\tstrong\nb\tc\tweak\n' "line 1: weight 'strong'" 'start it with #'
edges '# nodes 2\n0\t1\n1\t2\n' "'# nodes 2'" "an edge has the node '2'"
edges '0\t1\t1\n1\t2\tnan\n' 'line 2' 'nan'
mtx='%%%%MatrixMarket matrix coordinate real general\n3 3 '
printf "${mtx}2\n1 2 1\n2 3 1\n" >directed.mtx
run 3 fit directed.mtx -o m.npz --labels nodes.txt && says 'directed\.mtx' 'edge \(0, 1\) has weight 1' '\(1, 0\) has 0' '--symmetrize'
run 0 fit directed.mtx -o ok.npz --labels nodes.txt --symmetrize
printf "${mtx}1\n1 4 1\n" >range.mtx
run 3 fit range.mtx -o m.npz --labels nodes.txt && says 'range\.mtx' 'line 3' '4'
printf "${mtx}2\n1 2 1\n" >cut.mtx
run 3 fit cut.mtx -o m.npz --labels nodes.txt && says 'cut\.mtx'

# Features in another order are matched by name; missing and unknown features are reported by name.
printf 'a,b,label\n0,0,x\n0,1,x\n5,0,y\n5,1,y\n' >train.csv
run 0 fit train.csv -o features.npz
printf 'a,b\n0,1\n5,0\n' >same.csv
printf 'b,a\n1,0\n0,5\n' >swapped.csv
run 0 predict features.npz same.csv -o same_out.csv
run 0 predict features.npz swapped.csv -o swapped_out.csv && says 'a different order' 'by name'
same same_out.csv swapped_out.csv
bad_new() { # CONTENT PATTERNS...
  printf "$1" >new.csv
  shift
  run 3 predict features.npz new.csv -o m.npz
  says 'new\.csv' "$@"
}
bad_new 'a,c\n0,1\n' "lacks the feature 'b'" "has 'c'" 'rename'
bad_new 'a,b,c\n0,1,2\n' "has 'c', unknown to the model"
bad_new 'a\n0\n' "lacks the feature 'b'"
bad_new '0,1,2\n' 'has 3 features, expected the 2'
bad_new 'a,b\n0,1\n0,red\n' 'line 3, column b' "'red'"
bad_new 'a,b\n0,1\nnan,1\n' 'line 3, column a' "'nan'"

# Parameters that are invalid for the data.
run 2 fit graph.npz -o m.npz --beta 0 && says 'beta = 0' 'positive'
run 2 fit graph.npz -o m.npz --beta -1 && says 'beta = -1'
run 2 fit graph.npz -o m.npz --beta nan && says 'beta = nan'
run 2 fit graph.npz -o m.npz --eta 1 && says 'eta = 1 ' '1/lambda_1'
run 2 fit graph.npz -o m.npz --eta 1.5 && says 'eta = 1.5' '1/lambda_1'
run 2 fit graph.npz -o m.npz --eta 1.5 --method label-propagation && says 'eta = 1.5'
run 2 fit graph.npz -o m.npz --d 1000 && says 'd = 1000' 'positive eigenvalues'
run 2 fit graph.npz -o m.npz --d 50 --method kernel-pca --kernel symmetric && says 'd = 50' 'positive eigenvalues'
run 2 fit graph.npz -o m.npz --kernel rbf && says "'rbf' does not apply to a graph"
run 2 fit graph.npz -o m.npz --length-scale 2 && says 'does not apply to a graph'
run 2 fit graph.npz -o m.npz --tolerance 0 && says 'tolerance = 0'
run 2 fit graph.npz -o m.npz --per-class 400 && says '400'
run 2 fit digits -o m.npz --kernel symmetric && says "'symmetric' does not apply to points"
run 2 fit digits -o m.npz --length-scale -1 && says 'the length scale is -1'
run 2 fit digits -o m.npz --transform power && says 'power needs a power'
run 2 data make two-moons -o m.npz --samples 0 && says '0'
run 2 data make two-moons -o m.npz --noise nan && says 'nan'
run 2 data make block-model -o m.npz --p-in 2 && says '2'
[[ ! -e m.npz ]] || fail 'bad data wrote a file'
