#!/usr/bin/python3
"""Measures and plots how the time and memory of a fit grow with the number of samples.

    scripts/prepare release stkr_command
    /usr/bin/python3 bench/growth.py --plot docs/growth.svg [--largest 1000000] [--json FILE]

Graph path: `stkr fit --kernel knn --recall 0.98` on points in 16 dimensions, including the neighbor
search, and `stkr fit` on a block model with 20 entries per node. Matrix-free path: `stkr fit --power 2`
with an RBF kernel on the same points, in single precision, which never stores the kernel. Ten classes,
100 labels. Each run is a separate process; its time and peak memory are those of the whole command. The
exponent is the slope of a straight line fitted to the logarithms of the last three sizes.
"""

import argparse
import json
import math
import pathlib
import subprocess
import tempfile
import time

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
FEATURES, CLASSES = 16, 10


def write_points(path, count):
    random = np.random.default_rng(1)
    y = random.integers(0, CLASSES, count)
    centers = 3.0 * random.standard_normal((CLASSES, FEATURES))
    x = (centers[y] + random.standard_normal((count, FEATURES))).astype(np.float32)
    np.savez(path, X=x, labels=y)


def write_graph(program, path, count):
    blocks = ",".join([str(count // CLASSES)] * CLASSES)
    size = count / CLASSES
    subprocess.run([program, "data", "make", "block-model", "-o", path, "--blocks", blocks,
                    "--p-in", str(16 / size), "--p-out", str(4 / (count - size))],
                   check=True, stdout=subprocess.DEVNULL)


def measure(program, folder, threads, *arguments):
    log = folder / "time.txt"
    start = time.perf_counter()
    subprocess.run(["/usr/bin/time", "-f", "%M", "-o", log, program, "fit", *arguments, "-o",
                    folder / "model.npz", "--per-class", "10", "--threads", str(threads), "--json",
                    "--transform", "inverse-laplacian", "--ridge", "0.1"],
                   check=True, stdout=subprocess.DEVNULL)
    return {"seconds": time.perf_counter() - start, "megabytes": float(log.read_text()) / 1024}


def exponent(runs, what):
    last = runs[-3:]
    return float(np.polyfit([math.log(r["samples"]) for r in last],
                            [math.log(r[what]) for r in last], 1)[0])


def plot(path, results):
    with tempfile.TemporaryDirectory() as name:
        lines = []
        for what, label, side in (("seconds", "seconds", 0), ("megabytes", "peak memory, MB", 1)):
            lines += [f"set origin {0.5 * side},0", "set size 0.5,1", f"set ylabel '{label}'"]
            curves = []
            for k, (title, runs) in enumerate(results.items()):
                data = pathlib.Path(name) / f"{k}.txt"
                data.write_text("".join(f"{r['samples']} {r['seconds']} {r['megabytes']}\n" for r in runs))
                curves.append(f"'{data}' using 1:{2 + side} with linespoints lw 2 pt 7 ps 0.5 lc {k + 1} "
                              f"title '{title}: N^{{{exponent(runs, what):.2f}}}'")
            lines.append("plot " + ", ".join(curves))
        script = "\n".join([
            "set terminal svg size 960,480 font 'sans-serif,13' background 'white'",
            f"set output '{path}'", "set logscale xy", "set format x '10^{%L}'",
            "set format y '10^{%L}'", "set xlabel 'samples N'", "set key below vertical",
            "set grid", "set xrange [700:1500000]",
            "set multiplot", *lines, "unset multiplot"])
        subprocess.run(["gnuplot"], input=script, text=True, check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default=ROOT / "build/release/bin/stkr", type=pathlib.Path)
    parser.add_argument("--threads", default=2, type=int)
    parser.add_argument("--largest", default=1000000, type=int)
    parser.add_argument("--largest-matrix-free", default=100000, type=int,
                        help="the cost is quadratic; 300000 takes seven minutes")
    parser.add_argument("--plot", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    results = {"neighbor graph of points": [], "given graph": [], "matrix-free RBF": []}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        points, graph = folder / "points.npz", folder / "graph.npz"
        for samples in (1000, 3000, 10000, 30000, 100000, 300000, 1000000):
            if samples > options.largest:
                break
            write_points(points, samples)
            write_graph(options.program, graph, samples)
            paths = {"neighbor graph of points": (points, "--kernel", "knn", "--recall", "0.98"),
                     "given graph": (graph,),
                     "matrix-free RBF": (points, "--power", "2", "--precision", "single")}
            for path, arguments in paths.items():
                if path == "matrix-free RBF" and samples > options.largest_matrix_free:
                    continue
                run = measure(options.program, folder, options.threads, *arguments)
                results[path].append({"samples": samples, **run})
                print(f"{path}, {samples}: {run['seconds']:.2f} s, {run['megabytes']:.0f} MB", flush=True)
    for path, runs in results.items():
        print(f"{path}: time N^{exponent(runs, 'seconds'):.2f}, memory N^{exponent(runs, 'megabytes'):.2f}")
    if options.plot:
        plot(options.plot, results)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
