# shellcheck shell=bash disable=SC2154
# AnnData files (tests/files/make_cells.py): the graph, points, labels and names of cells.
files=${checks%/*/*}/files
cells=$files/cells.h5ad

run 0 data info "$cells" --labels cell_type
shows 'graph of 12 nodes' 'B cell: 2, T cell: 2' 'reads obsp/connectivities'
run 0 data convert "$cells" new.npz --labels cell_type
run 0 data convert "$files/cells_0.7.h5ad" old.npz --labels cell_type
same new.npz old.npz
run 0 data convert "$files/cells_0.7.h5ad" text.npz --labels text
same new.npz text.npz
run 0 data info "$cells" --labels number && shows '0: 2, 1: 2'
run 0 data info "$cells" --labels counts && shows '0: 2, 1: 2'
run 0 data info "$cells" --labels flag && shows 'False: 6, True: 6'

run 0 data info "$cells" --kind points && shows '12 points' '3 features' 'reads obsm/X_pca'
run 0 data info "$cells" --key X_umap && shows '12 points' '2 features' 'reads obsm/X_umap'
run 0 data info "$cells" --key X && shows '12 points' '3 features' 'reads X'
run 0 data info "$cells" --key distances && shows 'graph of 12 nodes'
run 0 plan "$cells" --labels cell_type
run 0 plan "$cells" --labels cell_type --kind points

# Names come back with the answers; features of the nodes are a key of obsm.
run 0 fit "$cells" -o graph.model --labels cell_type
run 0 predict graph.model -o graph.csv
[[ $(cut -d, -f2,3 graph.csv | sed -n '2p;13p' | xargs) == 'cell-0,T cell cell-11,B cell' ]] ||
  fail "$(cat graph.csv)"
run 0 fit "$cells" -o both.model --labels cell_type --features X_pca --add-kernel rbf:0.5
run 0 fit "$cells" -o points.model --labels cell_type --kind points
run 0 predict points.model "$cells" -o points.csv
[[ $(cut -d, -f1 points.csv | wc -l) == 13 ]] || fail "$(cat points.csv)"

# What is missing is named, with what there is.
run 3 data info "$cells" --key conectivities
says "has no 'conectivities' in obsp or obsm" 'obsp has connectivities, distances' \
  'obsm has X_pca, X_umap' 'did you mean connectivities' '--key'
run 3 data info "$cells" --kind points --key pca && says 'has no obsm/pca; obsm has X_pca, X_umap'
run 3 data info "$cells" --kind graph --key X_pca && says 'has no obsp/X_pca; obsp has connectivities'
run 3 data info "$cells" --kind kernel && says 'kind kernel'
run 3 fit "$cells" -o no.npz && says 'no labeled sample; name the labels with --labels: a file, or one of cell_type, text'
run 3 data info "$cells" --labels celltype && says 'cell_type'
head -c 20000 "$cells" >short.h5ad
run 3 data info short.h5ad && says 'short.h5ad: cannot be opened as HDF5: it is damaged, truncated'
printf 'x' >text.h5ad
run 3 data info text.h5ad && says 'does not start like a file of format AnnData'
run 3 data convert "$cells" out.h5ad && says 'does not write data sets'
