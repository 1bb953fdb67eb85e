# shellcheck shell=bash disable=SC2154
# Tables as R, pandas and Excel write them are read as they are meant, or refused with the option that
# resolves the doubt. tests/tables/README.md says how the files were made.
tables=$(dirname "$checks")/../tables

# reads FILE EXPECTED ID OPTIONS...: the table, without ids, is EXPECTED; ID is the name of its ids.
reads() {
  local file=$1 expected=$2 id=$3
  shift 3
  run 0 data convert "$tables/$file" read.csv "$@"
  if [[ -n $id ]]; then
    [[ $(head -n 1 read.csv | cut -d, -f1) == "$id" ]] || fail "$file: ids: $(head -n 1 read.csv)"
    cut -d, -f2- read.csv >without.csv && mv without.csv read.csv
  fi
  same read.csv "$tables/$expected.expected"
}
reads r_write_csv.csv flowers row_name && shows '3 .NA.' 'column 1 has no name: it holds the ids' 'labels are in column class'
reads r_write_csv2.csv flowers row_name && shows 'decimal commas'
reads r_write_table.tsv flowers row_name --kind points
reads r_write_table.csv flowers row_name
reads r_no_row_names.csv flowers ''
reads r_default_row_names.csv flowers row_name
reads r_missing_features.csv flowers_filled row_name --impute median && shows '3 missing cells of 3 columns'
reads pandas_index.csv flowers '' && shows 'column 1 has no name .a row index'
reads pandas_na_rep.csv flowers '' && shows 'labels: 3 cells are read as unlabeled .3 .NA'
reads pandas_nan.tsv flowers '' --kind points && shows '3 .nan'
reads pandas_named_index.csv flowers patient --id patient
reads pandas_text_index.csv flowers row_name
reads pandas_category_crlf.csv flowers '' && shows 'categories.*color \(3\)' 'true and false.*grown'
run 0 data convert "$tables/r_write_csv.csv" ids.csv
run 0 data convert ids.csv again.csv && same ids.csv again.csv
cut -d, -f1 ids.csv | tail -n +2 >ids.txt
same ids.txt "$tables/ids.expected"

# refuses FILE OPTIONS... -- MESSAGE...: every message is an extended regular expression; data info
# shows the columns of the same file.
refuses() {
  local file=$1 options=()
  shift
  while [[ $1 != -- ]]; do options+=("$1") && shift; done
  shift
  run 3 fit "$tables/$file" -o refused.model "${options[@]}" && says "$@"
  [[ ! -e refused.model ]] || fail "$file: a model was written"
  run 0 data info "$tables/$file" "${options[@]}" && shows '^column +read as' '^problem' "$@"
  run 0 data info "$tables/$file" "${options[@]}" --json && is_json out && shows '"problem"' '"columns"'
}
refuses r_missing_features.csv -- 'line 3, column length: .NA.' '1 of 6 cells' '--impute median' '--drop length'
refuses pandas_named_index.csv -- 'column patient has 6 different texts' '--id patient' '--drop patient'
refuses free_text.csv -- 'column comment has 12 different texts in 12 lines' '--id comment'
refuses no_header.csv -- 'line 1: holds numbers' 'is there no header' '--no-header'
refuses two_labels.csv -- 'target and y' '--labels' '--drop'
refuses mixed_column.csv -- "line 3, column temperature: 'unknown'" "--missing 'unknown'" '--categorical temperature'
refuses mixed_decimals.csv -- 'line 2 has a number with a decimal comma, but line 3 one with a decimal point'
refuses tab_decimals.tsv --kind points -- "'1,5', expected a number with a decimal point"
refuses excel_thousands.csv -- "line 2, column x: '1.234,5'"
refuses many_targets.csv -- 'different whole numbers among 50 labels' '--task regression' '--task classification'
refuses pandas_na_rep.csv --labels Class -- "labels 'Class': there is no column" 'did you mean class' 'length, width'
refuses pandas_na_rep.csv --labels nope.csv -- "labels 'nope.csv': there is no column and no file of that name"
refuses pandas_na_rep.csv --drop Width -- "--drop: there is no column 'Width'; the columns are .*; did you mean width"
refuses pandas_na_rep.csv --id colour -- "--id: there is no column 'colour'; the columns are .*; did you mean color"
refuses excel_german.csv --labels Klasse -- 'column Kunde has 5 different texts' '--id Kunde'

# What resolves these doubts.
run 0 data info "$tables/no_header.csv" --no-header --labels 4 && shows '4 points x 4 features, 2 classes, 4 labeled'
run 0 data info "$tables/two_labels.csv" --labels target &&
  shows '2 labeled' 'column y is a feature, though it is named like labels; --drop y'
run 0 data info "$tables/two_labels.csv" --labels target --drop y && shows '3 points x 1 features'
run 0 data info "$tables/mixed_column.csv" --missing unknown --impute median && shows '1 missing cell of 1 column'
run 0 data info "$tables/many_targets.csv" --task regression && shows '1 target, 50 labeled' 'labels +column target'
run 0 data info "$tables/many_targets.csv" --task classification && shows 'classes, 50 labeled'
run 0 data info "$tables/years.csv" && shows '3 points x 5 features' 'the first line is read as the names.*--no-header'
run 0 data info "$tables/excel_german.csv" --labels Klasse --id Kunde &&
  shows '5 points x 4 features, 2 classes, 3 labeled' "1 empty, 1 '#N/A'" 'ja; sicher: 1' 'ids +column Kunde'
run 0 data info "$tables/sentinel.csv" --missing=-999 --impute median && shows '1 missing cell'
run 0 data info "$tables/question_marks.csv" && shows "'\?' is a class, of 2 samples; .*--missing '\?'"
run 0 data info "$tables/question_marks.csv" --missing '?' && shows '2 classes, 4 labeled' "2 '\?'"
run 0 data info "$tables/pandas_nullable.csv" --impute median && shows '4 points x 3 features, 2 classes, 3 labeled'
run 0 data info "$tables/r_targets_csv2.csv" --impute median && shows '1 target, 3 labeled'
run 0 data info "$tables/pandas_float_classes.csv" && shows '2 classes, 3 labeled'
run 0 data info "$tables/r_no_header.csv" && shows '6 points x 2 features'
run 0 data info "$tables/ascending_first.csv" && shows 'column patient ascends from 1000 to 1077.*--id patient or --drop patient'
run 0 data info "$tables/scales.csv" && shows 'features differ in scale.*proline.*hue.*--standardize'
run 0 data info "$tables/scales.csv" --standardize
grep -q 'differ in scale' out && fail "the note on scales remains: $(cat out)"
run 0 data info "$tables/scales.csv" && shows '^column +read as +cells +missing' '^label +label +text +6'

# A file with the labels replaces the label column, which is then no feature; labels are matched by id.
printf 'id,label\nfritz,x\nanna,y\n' >by_name.csv
run 0 data info "$tables/r_write_csv.csv" --labels by_name.csv &&
  shows '6 points x 6 features, 2 classes, 2 labeled' 'column class is not used' 'y: 1'
printf 'id,label\nnobody,x\n' >by_name.csv
run 3 fit "$tables/r_write_csv.csv" -o no.model --labels by_name.csv && says "'nobody' is not a sample of the data"

# Without ids, such a file counts samples from 0, and a note says so.
printf 'id,label\n1,x\n2,y\n' >by_number.csv
run 0 data info "$tables/r_no_row_names.csv" --labels by_number.csv &&
  shows 'by_number.csv: column id is read as the numbers of the samples, from 0, because the data has no ids'
printf 'id,label\n6,x\n' >by_number.csv
run 3 fit "$tables/r_no_row_names.csv" -o no.model --labels by_number.csv &&
  says "'6' is not a sample of the data, whose samples have no names: they are numbered from 0 to 5"

# Data without labels: which columns there are to name.
printf 'a,outcome\n1,p\n2,q\n' >unnamed.csv
for command in 'fit -o no.model' select; do
  # shellcheck disable=SC2086
  run 3 $command unnamed.csv && says 'unnamed.csv: no labeled sample; name the labels with --labels: a file, or one of a, outcome'
done
run 0 data info unnamed.csv && shows '^labels +none; name them with --labels: a file, or one of a, outcome'
printf 'a,label\n1,\n2,NA\n' >missing.csv
run 3 fit missing.csv -o no.model && says 'missing.csv: no labeled sample in column label: label at least a few'

# Names that do not tell columns, samples or classes apart.
printf 'id,a,a,label\nx,1,1,TRUE\nx,2,2,true\n,3,3,false\n' >alike.csv
run 0 data info alike.csv && shows 'several columns are named a: .*the first.*by their order' \
  "ids: 'x' of column id is the id of several samples" 'ids: column id is empty for 1 of 3 samples' \
  "labels: 'TRUE' and 'true' are two classes, though they differ only in case"

# Edges are not points, and points are not edges, unless that is asked for.
printf 'source,target,weight\na,b,1\nb,c,2\n' >edges.csv
run 3 fit edges.csv -o no.model && says 'source and target look like the edges of a graph; say --kind graph'
run 0 data info edges.csv --kind graph && shows 'graph of 3 nodes'
run 3 fit "$tables/pandas_nan.tsv" -o no.model && says 'expected two nodes and an optional weight; .*--kind points'

# Labels of +1 and -1.
printf 'x,label\n1,1\n2,-1\n3,-1\n' >signs.csv
run 3 fit signs.csv -o no.model && says '2 samples of class -1 are read as unlabeled' '--minus-one-is-class' '--labeled'

# Ids, categories, medians and scales are the model's: new tables may lack labels and ids, and have
# their columns in another order.
run 0 fit "$tables/r_missing_features.csv" -o flowers.model --impute median --standardize --power 2 --kernel rbf
run 0 predict flowers.model -o fitted.csv
[[ $(cut -d, -f1,2 fitted.csv | xargs) == 'index,row_name 0,anna 1,bert 2,carl 3,dora 4,emil 5,fritz' ]] || fail "$(cat fitted.csv)"
run 0 predict flowers.model "$tables/r_missing_features.csv" -o again.csv
cut -d, -f2,3 fitted.csv >fitted.answers && cut -d, -f2,3 again.csv >again.answers
same fitted.answers again.answers
printf 'grown,color,width,length\ntrue,red,3.5,5.1\nfalse,blue,3,NA\n' >new.csv
run 0 predict flowers.model new.csv -o new.out && says 'different order'
[[ $(head -n 1 new.out) == index,prediction,* ]] || fail "names without ids: $(head -n 1 new.out)"
[[ $(cut -d, -f2 new.out | tail -n +2 | xargs) == "$(sed -n '2,3p' fitted.csv | cut -d, -f3 | xargs)" ]] ||
  fail "another order: $(cat new.out)"
printf 'row_name,grown,color,width,length\nzoe,true,purple,3.5,5.1\n' >new.csv
run 0 predict flowers.model new.csv -o new.out && says "1 cell holds no category of the model .'purple' in line 2, column color"
[[ $(sed -n 2p new.out | cut -d, -f1,2) == 0,zoe ]] || fail "id of a new sample: $(cat new.out)"
printf 'grown,color,width\ntrue,red,3.5\n' >new.csv
run 3 predict flowers.model new.csv -o new.out && says "lacks the feature 'length'"
printf 'grown,color,width,length,smell\ntrue,red,3.5,5,1\n' >new.csv
run 3 predict flowers.model new.csv -o new.out && says "has 'smell', unknown to the model"
run 0 data convert "$tables/r_no_row_names.csv" flowers.npz
run 3 predict flowers.model flowers.npz -o new.out && says 'fitted on a table with text or truth values'

# Without --impute, a new table must be complete.
run 0 fit "$tables/r_write_csv.csv" -o whole.model --power 2 --kernel rbf
printf 'grown,color,width,length\ntrue,red,3.5,NA\n' >new.csv
run 3 predict whole.model new.csv -o new.out && says "line 2, column length: 'NA'" 'fit the model with --impute median'

# Standardized by hand, an array gives the same answers as --standardize, also for new samples.
run 0 fit "$tables/scales.csv" -o scaled.model --standardize --kernel rbf --power 2
run 0 predict scaled.model -o scaled.csv
run 0 data convert "$tables/scales.csv" scales.npz
run 0 fit scales.npz -o array.model --standardize --kernel rbf --power 2
run 0 predict array.model -o array.csv
same scaled.csv array.csv
run 0 data convert "$tables/scales.csv" by_hand.npz --standardize
run 0 fit by_hand.npz -o hand.model --kernel rbf --power 2
run 0 predict hand.model -o hand.csv
same scaled.csv hand.csv
run 0 predict scaled.model "$tables/scales.csv" -o new_scaled.csv
run 0 predict array.model scales.npz -o new_array.csv
same new_scaled.csv new_array.csv
cut -d, -f2 scaled.csv >a.txt && cut -d, -f2 new_scaled.csv >b.txt && same a.txt b.txt
# The example of docs/formats.md.
sed -n "/^    printf 'patient/,/^    stkr predict/p" "$(dirname "$checks")/../../docs/formats.md" >example.sh
lines example.sh 3
PATH=$(dirname "$stkr"):$PATH bash -e example.sh >out 2>err || fail "docs/formats.md: $(cat err)"
[[ $(head -n 1 answers.csv) == index,patient,prediction,evidence,* ]] || fail "docs/formats.md: $(cat answers.csv)"

# The example of the README: commands start with $, and the rest is what they print.
sed -n '/^    \$ cat patients\.csv/,/^$/p' "$(dirname "$checks")/../../README.md" | sed '/^$/d; s/^    //' >readme.txt
sed -n '2,/^\$/p' readme.txt | grep -v '^\$' >patients.csv
lines patients.csv 5
sed -n 's/^\$ //p' readme.txt >readme.sh
PATH=$(dirname "$stkr"):$PATH bash -e readme.sh 2>err | grep -v '^[a-z ]*  ' >out || fail "README.md: $(cat err)"
grep -v '^\$' readme.txt >readme.expected
same out readme.expected

make_graph
run 3 fit graph.npz -o no.model --standardize && says '--standardize is for points'
run 2 fit "$tables/scales.csv" -o no.model --impute mean
run 2 fit "$tables/scales.csv" -o no.model --header --no-header
true
