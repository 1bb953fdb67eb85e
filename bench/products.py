#!/usr/bin/python3
"""Times one product of stkr against scikit-learn and SciPy in the same run.

    cmake --preset release && cmake --build --preset release --target product_benchmark
    /usr/bin/python3 bench/products.py [--threads 2] [--repeats 5] [--json]

Both sides take turns, so that a busy machine slows both; ratios are of medians. The problems have
the same sizes and distributions on both sides; stkr's side checks a few rows of its result against
a term-by-term evaluation before it is timed. Each of stkr's measurements is the median of three
products in a process of its own, whose peak memory is reported.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import time

import numpy as np
import scipy.sparse
from sklearn.metrics.pairwise import rbf_kernel

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "build/release/bench/product_benchmark"


def seconds(function):
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def stkr(program, *arguments):
    out = subprocess.run(
        [program, *map(str, arguments)], check=True, capture_output=True, text=True
    )
    return json.loads(out.stdout)


def rbf_product(points, features, columns):
    """rbf_kernel(X) @ V as scikit-learn users write it: forms the N x N matrix."""
    random = np.random.default_rng(1)
    x = random.standard_normal((points, features))
    v = random.standard_normal((points, columns))
    return lambda: rbf_kernel(x, gamma=0.5 / features) @ v


def graph_product(nodes, entries, columns):
    random = np.random.default_rng(1)
    indices = np.sort(
        random.integers(0, nodes, size=(nodes, entries // nodes), dtype=np.int32), axis=1
    ).ravel()
    indptr = np.arange(0, entries + 1, entries // nodes, dtype=np.int32)
    data = random.uniform(0.5, 1.5, size=indices.size)
    a = scipy.sparse.csr_matrix((data, indices, indptr), shape=(nodes, nodes))
    x = random.standard_normal((nodes, columns))
    return lambda: a @ x


def compare(name, reference, ours, repeats):
    theirs, mine = [], []
    for _ in range(repeats):
        theirs.append(seconds(reference))
        mine.append(ours())
    median = statistics.median(m["median_seconds"] for m in mine)
    return {
        "name": name,
        "reference_seconds": statistics.median(theirs),
        "stkr_seconds": median,
        "ratio": statistics.median(theirs) / median,
        "largest_error": max(m["largest_error"] for m in mine),
        "peak_megabytes": max(m["peak_megabytes"] for m in mine),
        "rate": {
            key: statistics.median(m[key] for m in mine)
            for key in ("pairs_per_second", "bytes_per_second")
            if key in mine[0]
        },
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default=PROGRAM, type=pathlib.Path)
    parser.add_argument("--threads", default=0, type=int, help="of stkr; 0: all cores")
    parser.add_argument("--repeats", default=5, type=int)
    parser.add_argument("--scale", default=1.0, type=float, help="of points and nodes")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if not options.program.exists():
        parser.error(f"{options.program} is missing; build the target product_benchmark")

    columns = 10
    points, features = int(20000 * options.scale), 64
    nodes = int(1000000 * options.scale)
    results = []
    reference = rbf_product(points, features, columns)
    for precision in ("double", "float"):
        results.append(
            compare(
                f"rbf {points} x {features}, {columns} columns, {precision} / scikit-learn",
                reference,
                lambda: stkr(
                    options.program, "rbf", points, features, columns, 3, options.threads, precision
                ),
                options.repeats,
            )
        )
    reference = graph_product(nodes, 20 * nodes, columns)
    results.append(
        compare(
            f"graph {nodes} nodes, {20 * nodes} entries, {columns} columns / SciPy",
            reference,
            lambda: stkr(
                options.program, "graph", nodes, 20 * nodes, columns, 3, options.threads
            ),
            options.repeats,
        )
    )
    if options.json:
        print(json.dumps(results, indent=2))
        return
    for r in results:
        rate = ", ".join(f"{v / 1e9:.2f}e9 {k.replace('_', ' ')}" for k, v in r["rate"].items())
        print(
            f"{r['name']}\n  reference {r['reference_seconds']:.3f} s, stkr {r['stkr_seconds']:.3f} s:"
            f" {r['ratio']:.1f} times faster; {rate}; error {r['largest_error']:.1e};"
            f" peak {r['peak_megabytes']:.0f} MB"
        )


if __name__ == "__main__":
    main()
