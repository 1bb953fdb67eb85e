# shellcheck shell=bash disable=SC2154
run 0 data make two-moons -o hard.csv --samples 150 --per-class 30
run 4 fit hard.csv -o hard.npz --solver minres --max-iterations 1 --beta 1e-6
says 'did not converge' 'written and marked'
run 0 predict hard.npz -o hard_out.csv && says 'warning.*did not converge'
lines hard_out.csv 151
run 4 fit hard.csv -o hard.npz --solver minres --max-iterations 1 --beta 1e-6 --json
is_json out
shows '"converged": false' '"stop_reason": "max_iterations"'
run 0 predict hard.npz -o hard_out.csv --json
is_json out
shows '"model_converged": false'
