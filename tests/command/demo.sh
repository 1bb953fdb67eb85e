# shellcheck shell=bash disable=SC2154
run 0 demo --threads 2
shows 'digits' 'block model' 'kernel ridge' 'inverse Laplacian' 'label propagation'
