#!/usr/bin/python3
"""Times `stkr fit` on a graph of 13,752 nodes on an idle machine and with one busy loop per core.

    scripts/prepare release stkr_command
    /usr/bin/python3 bench/busy_machine.py --before OTHER/bin/stkr

prints a markdown table: seconds and processor seconds of a fit, the median of --repeat runs, all
programs alternately. The graph is a block model of ten classes with the number of nodes and about the
number of entries of the Amazon computers graph, 20 labels per class; --graph selects another. The busy
loops simulate other load on a shared server and are stopped before the program ends.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "build/release/bin/stkr"
BLOCKS = [1375] * 8 + [1376] * 2  # 13,752 nodes
P_IN, P_OUT = 0.016, 0.0022  # about 490,000 entries


def make_graph(program, folder):
    path = folder / "graph.npz"
    subprocess.run([program, "data", "make", "block-model", "-o", path, "--p-in", str(P_IN),
                    "--p-out", str(P_OUT), "--blocks", ",".join(map(str, BLOCKS))],
                   check=True, stdout=subprocess.DEVNULL)
    return path


def fit(program, graph, model, extra):
    """Wall seconds and processor seconds of one fit."""
    start = time.monotonic()
    process = subprocess.Popen([program, "fit", graph, "-o", model, "--per-class", "20",
                                "--transform", "inverse-laplacian", "--ridge", "0.1", *extra],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    errors = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - start
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(errors.decode())
    return seconds, usage.ru_utime + usage.ru_stime


def measure(sides, graph, model, repeat):
    """The median of each side; the sides alternate."""
    found = {name: [] for name in sides}
    for _ in range(repeat):
        for name, (program, extra) in sides.items():
            found[name].append(fit(program, graph, model, extra))
    return {name: [statistics.median(column) for column in zip(*runs)]
            for name, runs in found.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default=PROGRAM, type=pathlib.Path)
    parser.add_argument("--before", type=pathlib.Path, help="another stkr to compare with")
    parser.add_argument("--graph", type=pathlib.Path, help="instead of the block model")
    parser.add_argument("--repeat", default=5, type=int)
    parser.add_argument("--loops", default=len(os.sched_getaffinity(0)), type=int,
                        help="busy loops (default: one per core)")
    options = parser.parse_args()
    sides = {"stkr": (options.program, [])}
    if options.before:
        sides["before"] = (options.before, [])
    sides["stkr, --threads 1"] = (options.program, ["--threads", "1"])
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        graph = options.graph or make_graph(options.program, folder)
        idle = measure(sides, graph, folder / "model.npz", options.repeat)
        loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"])
                 for _ in range(options.loops)]
        try:
            busy = measure(sides, graph, folder / "model.npz", options.repeat)
        finally:
            for loop in loops:
                loop.kill()
                loop.wait()
    print(f"| | idle: s | processor s | with {options.loops} busy loops: s | processor s |")
    print("| --- | --- | --- | --- | --- |")
    for name in sides:
        cells = [f"{value:.2f}" for value in idle[name] + busy[name]]
        print(f"| {name} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
