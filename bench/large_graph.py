#!/usr/bin/python3
"""Makes a large graph, fits it and predicts, and prints the seconds and peak memory of each step.

    scripts/prepare release stkr_command
    /usr/bin/python3 bench/large_graph.py --nodes 10000000 --folder DIR

prints a markdown table. A block model of 10 classes with 20 entries per node, written as an uncompressed
.npz; the inverse Laplacian with 100 labels per class; predictions for the fitted nodes, for a fiftieth
as many new nodes, and for ten times as many of these. The size above takes 10 GB on the disk and several
minutes; without --nodes it is a tenth of that. --limit (GB) limits the address space of each command;
--folder DIR --keep leaves the files in DIR.
"""

import argparse
import json
import os
import pathlib
import random
import resource
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "build/release/bin/stkr"
CLASSES = 10


def run(name, arguments, limit, what=""):
    """Run a command and print a row with its seconds and its peak resident set size."""

    def restrict():
        if limit:
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    start = time.monotonic()
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen([str(a) for a in arguments], stdout=subprocess.PIPE,
                                   stderr=errors, text=True, preexec_fn=restrict)
        text = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - start
        if os.waitstatus_to_exitcode(status) != 0:
            errors.seek(0)
            sys.exit(text + errors.read())
    if name == "fit":
        what = fit_note(json.loads(text))
    print(f"| `stkr {name}`{what} | {seconds:.1f} | {usage.ru_maxrss * 1024 / 1e9:.2f} GB |",
          flush=True)


def fit_note(document):
    """The solver, accuracy and planned memory that the fit reports."""
    summary = document["summary"]
    plan = next(c["value"] for c in document["choices"] if c["what"] == "memory")
    return (f" ({summary['solver']}, {summary['products']} products, residual"
            f" {max(summary['residuals']):.0e}, {100 * document['hidden']['accuracy']:.1f} % of the"
            f" hidden labels; planned {plan.split(':')[0]})")


def write_new_edges(path, nodes, count):
    """Five edges per new node, sorted by new node."""
    draw = random.Random(1)
    with open(path, "w") as out:
        for node in range(count):
            for _ in range(5):
                out.write(f"{node}\t{draw.randrange(nodes)}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default=PROGRAM, type=pathlib.Path)
    parser.add_argument("--nodes", default=1_000_000, type=int)
    parser.add_argument("--new-nodes", type=int, help="default: a fiftieth of the nodes")
    parser.add_argument("--per-class", default=100, type=int)
    parser.add_argument("--tolerance", default=1e-8, type=float)
    parser.add_argument("--threads", default=2, type=int)
    parser.add_argument("--solver", default="automatic")
    parser.add_argument("--limit", default=0.0, type=float, help="GB of address space per command")
    parser.add_argument("--folder", type=pathlib.Path, help="folder for the files")
    parser.add_argument("--keep", action="store_true", help="keep the files")
    options = parser.parse_args()
    limit = int(options.limit * 1e9)
    new_nodes = options.new_nodes or options.nodes // 50

    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        if options.keep and options.folder:
            folder = options.folder
        folder = pathlib.Path(folder)
        graph, model = folder / "graph.npz", folder / "model.npz"
        block = options.nodes // CLASSES
        threads = ["--threads", options.threads]
        print(f"{options.nodes:,} nodes, {options.per_class * CLASSES:,} labels, tolerance"
              f" {options.tolerance:g}, {options.threads} threads:\n\n"
              "| command | seconds | peak |\n| --- | --- | --- |", flush=True)
        if not graph.exists():
            run("data make", [options.program, "data", "make", "block-model", "-o", graph,
                              "--blocks", ",".join([str(block)] * CLASSES), "--p-in", 15.0 / block,
                              "--p-out", 5.0 / (9.0 * block), *threads], limit)
        run("fit", [options.program, "fit", graph, "-o", model, "--per-class", options.per_class,
                    "--transform", "inverse-laplacian", "--ridge", "0.1", "--solver", options.solver,
                    "--tolerance", options.tolerance, "--json",
                    *threads], limit)
        run("predict", [options.program, "predict", model, "-o", folder / "fitted.csv", *threads],
            limit, ", the fitted nodes")
        for count in (new_nodes, 10 * new_nodes):
            write_new_edges(folder / "new.tsv", options.nodes, count)
            run("predict", [options.program, "predict", model, folder / "new.tsv", "-o",
                            folder / "new.csv", *threads], limit, f", {count:,} new nodes")
        print(f"\nThe graph takes {graph.stat().st_size / 1e9:.2f} GB on the disk.")


if __name__ == "__main__":
    main()
