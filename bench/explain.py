#!/usr/bin/python3
"""What `stkr explain` advises, beside the full selection, and how long it takes.

    sudo apt-get install python3-numpy
    scripts/prepare release stkr_command
    /usr/bin/python3 bench/explain.py --data DIR

Labels: --per-class random ones of each class (seed 1), the others hidden; of the semi-supervised sets the first of
their splits with 100 labels (g50c: 50). `left out`: share of wrong answers, in percent, for labels that are left
out, which is all that the advice may look at. `hidden`: the same for hidden labels, which no fit has seen; samples
without evidence count as chance. MNIST: the 70,000 samples of `mnist_vae.npz` on their graph of ten neighbors, which
`stkr graph` makes; the time is that of explain alone.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
STKR = ROOT / "build" / "release" / "bin" / "stkr"
SETS = ("digits", "cora", "citeseer", "photo", "cs", "dblp", "pubmed", "g50c", "ssl_digit1", "ssl_coil2", "mnist")


def options(name, folder, per_class, work):
    if name == "digits":
        return ["digits", "--per-class", str(per_class)]
    if name == "mnist":
        graph = work / "graph.npz"
        subprocess.run([STKR, "graph", folder / "mnist_vae.npz", "-o", graph, "--neighbors", "10", "-q"], check=True)
        return [graph, "--per-class", str(per_class)]
    if name == "g50c":
        return [folder / "g50c.npz", "--labeled", "labeled_50[0]"]
    if name.startswith("ssl"):
        return [folder / f"{name}.npz", "--labeled", "labeled_100[0]"]
    return [folder / f"{name}.npz", "--per-class", str(per_class)]


def percent(fit, key):
    return f"{100 * fit[key]:.1f}" if key in fit else "-"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--per-class", type=int, default=20)
    arguments = parser.parse_args()
    print("| set | labels | suggested | left out: advice | selection | hidden: advice | selection | seconds |")
    print("| --- | ---: | --- | ---: | ---: | ---: | ---: | ---: |")
    for name in arguments.sets:
        with tempfile.TemporaryDirectory() as work:
            given = options(name, arguments.data, arguments.per_class, pathlib.Path(work))
            start = time.perf_counter()
            ran = subprocess.run([STKR, "explain", *given, "--json"], check=True, capture_output=True, text=True)
            seconds = time.perf_counter() - start
        found = json.loads(ran.stdout)
        fits = {fit["name"]: fit for fit in found["compared"]}
        advice, selection = fits["suggestion"], fits["full selection"]
        chosen = found["suggestion"]
        cells = [name, found["labels"], f"{chosen['transform']}, ridge {chosen['ridge']:g}",
                 f"{percent(advice, 'error')} ± {percent(advice, 'standard_error')}", percent(selection, "error"),
                 percent(advice, "hidden_error"), percent(selection, "hidden_error"), f"{seconds:.1f}"]
        print("|", " | ".join(map(str, cells)), "|", flush=True)


if __name__ == "__main__":
    main()
