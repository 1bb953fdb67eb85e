# shellcheck shell=bash disable=SC2154
make_moons
make_graph
for command in 'data list' 'data info moons.csv' 'data info graph.npz' 'data info digits' \
  'data convert moons.csv m.npz' 'data make circles -o c.csv --samples 20' \
  'fit moons.csv -o moons.npz' 'fit graph.npz -o graph.model' 'predict moons.npz -o p.csv' \
  'predict moons.npz moons.csv -o p.csv'; do
  # shellcheck disable=SC2086
  run 0 $command --json
  is_json out
done
run 0 fit moons.csv -o moons.npz --json
shows '"model": "moons.npz"' '"labeled": 8' '"stop_reason": "converged"' '"chosen": true'
run 0 predict moons.npz moons.csv -o p.csv --json
shows '"samples": 120' '"setting": "inductive"' '"without_evidence": 0'
