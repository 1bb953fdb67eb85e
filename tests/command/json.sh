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
# Numbers are numbers, with the names of the options.
run 0 fit moons.csv -o moons.npz --json --kernel rbf --power 4 --ridge 0.1
python=$(command -v python3) && "$python" - out <<'END' || fail "fit --json: $(cat out)"
import json, sys
document = json.load(open(sys.argv[1]))
kernel = document["kernel"]
assert kernel["name"] == "rbf" and isinstance(kernel["length_scale"], float), kernel
assert len(repr(kernel["length_scale"])) > 10, kernel
assert document["transform"]["name"] == "power" and document["transform"]["power"] == 4, document
assert isinstance(document["beta"], float) and document["ridge"] == 0.1, document
assert isinstance(document["notes"], list) and isinstance(document["warnings"], list)
END
run 0 select moons.csv --folds 2 --families power,inverse-laplacian --top 2 --json
python3 - out <<'END' || fail "select --json: $(head -c 600 out)"
import json, sys
document = json.load(open(sys.argv[1]))
assert len(document["points"]) == 2, len(document["points"])
for point in document["points"] + [document["settings"][0]["best"]]:
    assert point["family"] in ("power", "inverse-laplacian"), point
    assert point["validation"] == "cross-validation" and "setting" not in point, point
    assert "test" not in point and point["val"] >= document["points"][1]["val"], point
    assert isinstance(point["ridge"], float) and ("power" in point or "eta" in point), point
assert document["settings"][0]["repeat"].startswith("stkr fit moons.csv "), document["settings"]
END
run 0 select moons.csv --leave-one-out --families power --json
shows '"validation": "leave-one-out"'
! grep -q transductive out || fail 'leave-one-out has no setting'
run 0 fit moons.csv -o moons.npz --json
shows '"model": "moons.npz"' '"labeled": 8' '"stop_reason": "converged"' '"chosen": true'
run 0 predict moons.npz moons.csv -o p.csv --json
shows '"samples": 120' '"setting": "inductive"' '"without_evidence": 0'
