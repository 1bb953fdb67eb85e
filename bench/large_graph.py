#!/usr/bin/python3
"""Makes a large graph, fits it and predicts, and prints the seconds and the peak memory of each.

    scripts/prepare release stkr_command
    /usr/bin/python3 bench/large_graph.py [--nodes 10000000] [--folder DIR] [--keep]

A block model of 10 classes with 20 entries a node, written as an uncompressed .npz; the inverse
Laplacian with 100 labels a class; answers for the fitted nodes and for new ones. The largest size
takes 10 GB on the disk and several minutes. `--limit` (GB) refuses each command more address space.
"""

import argparse
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


def run(name, arguments, limit):
    """Runs a command and prints its seconds and the largest resident size it had."""

    def restrict():
        if limit:
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    start = time.monotonic()
    process = subprocess.Popen([str(a) for a in arguments], stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, preexec_fn=restrict)
    text = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - start
    print(f"{name:12} {seconds:8.1f} s {usage.ru_maxrss * 1024 / 1e9:8.2f} GB", flush=True)
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(text)
    return text


def write_new_edges(path, nodes, count):
    """Five edges a new node, sorted by it."""
    draw = random.Random(1)
    with open(path, "w") as out:
        for node in range(count):
            for _ in range(5):
                out.write(f"{node}\t{draw.randrange(nodes)}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default=PROGRAM, type=pathlib.Path)
    parser.add_argument("--nodes", default=1_000_000, type=int)
    parser.add_argument("--new-nodes", default=100_000, type=int)
    parser.add_argument("--per-class", default=100, type=int)
    parser.add_argument("--tolerance", default=1e-8, type=float)
    parser.add_argument("--threads", default=2, type=int)
    parser.add_argument("--solver", default="automatic")
    parser.add_argument("--limit", default=0.0, type=float, help="GB of address space a command")
    parser.add_argument("--folder", type=pathlib.Path, help="where the files go")
    parser.add_argument("--keep", action="store_true", help="leave the files there")
    options = parser.parse_args()
    limit = int(options.limit * 1e9)

    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        if options.keep and options.folder:
            folder = options.folder
        folder = pathlib.Path(folder)
        graph, model = folder / "graph.npz", folder / "model.npz"
        block = options.nodes // CLASSES
        if not graph.exists():
            run("make", [options.program, "data", "make", "block-model", "-o", graph,
                         "--blocks", ",".join([str(block)] * CLASSES),
                         "--p-in", 15.0 / block, "--p-out", 5.0 / (9.0 * block)], limit)
        print(f"{'graph':12} {graph.stat().st_size / 1e9:19.2f} GB on the disk")
        threads = ["--threads", options.threads]
        text = run("fit", [options.program, "fit", graph, "-o", model,
                           "--per-class", options.per_class, "--solver", options.solver,
                           "--tolerance", options.tolerance, *threads], limit)
        print("  " + "  ".join(text.splitlines(keepends=True)), end="")
        run("predict", [options.program, "predict", model, "-o", folder / "fitted.csv", *threads],
            limit)
        for name, count in (("predict new", options.new_nodes), ("ten times", 10 * options.new_nodes)):
            write_new_edges(folder / "new.tsv", options.nodes, count)
            run(name, [options.program, "predict", model, folder / "new.tsv", "-o",
                       folder / "new.csv", *threads], limit)


if __name__ == "__main__":
    main()
