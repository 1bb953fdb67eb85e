#!/usr/bin/env python3
"""Overhead of Python in a fit: time beyond the C++ call, memory beyond the command's.

For each problem, the same fit is run by the estimator and by `stkr fit`, each in a separate process.
The time of the compiled calls is measured inside the estimator's run, so that both belong to the same
run. Peaks are reported by the operating system (ru_maxrss); the peak of an interpreter that has only
imported stkr is also printed, because it dominates small problems.

    /usr/bin/python3 bench/python_overhead.py --samples 100000 --repeats 3
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
PROBLEMS = ("knn", "knn float32", "rbf", "graph")


def make(problem, samples, features, folder):
    """Write the data to files that both sides read."""
    rng = np.random.default_rng(0)
    classes = rng.integers(0, 10, samples)
    y = np.full(samples, -1)
    y[:1000] = classes[:1000]
    np.save(folder / "y.npy", y)
    if problem == "graph":
        import scipy.sparse

        degree = 10
        rows = np.repeat(np.arange(samples), degree)
        columns = rng.integers(0, samples, samples * degree)
        half = scipy.sparse.coo_matrix((np.ones(len(rows)), (rows, columns)), (samples, samples))
        graph = (half + half.T).tocsr()
        scipy.sparse.save_npz(folder / "graph.npz", graph, compressed=False)
        return
    X = rng.standard_normal((10, features))[classes] * 2 + rng.standard_normal((samples, features))
    np.save(folder / "X.npy", X.astype(np.float32 if "float32" in problem else np.float64))


def run_python(problem, folder):
    """Run one fit in a separate process; print its time, the time of its compiled part, and the peak."""
    import stkr
    from stkr import _core

    if problem == "import":
        print(json.dumps({"peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}))
        return
    y = np.load(folder / "y.npy")
    if problem == "graph":
        import scipy.sparse

        X, estimator = scipy.sparse.load_npz(folder / "graph.npz"), stkr.STKRClassifier("graph")
    else:
        X = np.load(folder / "X.npy")
        estimator = stkr.STKRClassifier(problem.split()[0])
    inside = []

    def timed(compiled):
        def call(*arguments):
            start = time.perf_counter()
            result = compiled(*arguments)
            inside.append(time.perf_counter() - start)
            return result

        return call

    _core.fit = timed(_core.fit)
    _core.Samples.graph = staticmethod(timed(_core.Samples.graph))  # checks the edges
    start = time.perf_counter()
    estimator.fit(X, y)
    total = time.perf_counter() - start
    estimator.transduction_
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({"total": total, "inside": sum(inside), "peak": peak}))


def python(problem, folder):
    done = subprocess.run(
        [sys.executable, __file__, "--worker", problem, "--folder", str(folder)],
        env={**os.environ, "PYTHONPATH": str(ROOT / "build/release/python")},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def command(problem, folder):
    """Wall time of the command, and its peak memory in kB."""
    data = folder / ("graph.npz" if problem == "graph" else "X.npy")
    arguments = [str(ROOT / "build/release/bin/stkr"), "fit", str(data), "-o"]
    arguments += [str(folder / "model.npz"), "--labels", str(folder / "y.npy"), "--json"]
    if problem != "graph":
        arguments += ["--kernel", problem.split()[0]]
    start = time.perf_counter()
    process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        raise SystemExit(f"{' '.join(arguments)} failed")
    return {"total": time.perf_counter() - start, "peak": usage.ru_maxrss}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=100_000)
    parser.add_argument("--features", type=int, default=64)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--problems", nargs="+", default=["knn", "knn float32", "graph"],
                        choices=PROBLEMS)
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker:
        run_python(arguments.worker, arguments.folder)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        base = python("import", folder)["peak"]
        print(f"{arguments.samples:,} samples, {arguments.features} features, 1,000 labels; "
              f"import stkr alone takes {base / 1000:.0f} MB")
        print(f"{'problem':12} {'fit':>8} {'compiled':>9} {'overhead':>9} {'peak':>9} "
              f"{'command':>9} {'ratio':>6} {'less import':>11}")
        for problem in arguments.problems:
            make(problem, arguments.samples, arguments.features, folder)
            runs = [(python(problem, folder), command(problem, folder))
                    for _ in range(arguments.repeats)]
            total, inside = (statistics.median(p[key] for p, _ in runs)
                             for key in ("total", "inside"))
            overhead = statistics.median(p["total"] / p["inside"] - 1 for p, _ in runs)
            peak = statistics.median(p["peak"] for p, _ in runs) / 1000
            theirs = statistics.median(c["peak"] for _, c in runs) / 1000
            print(f"{problem:12} {total:7.2f}s {inside:8.2f}s {100 * overhead:8.2f}% "
                  f"{peak:6.0f} MB {theirs:6.0f} MB {peak / theirs:6.2f} "
                  f"{(peak - base / 1000) / theirs:11.2f}", flush=True)


if __name__ == "__main__":
    main()
