#!/usr/bin/python3
"""Times the paper's whole grid in SciPy and in `stkr select`, and compares every point.

    sudo apt-get install python3-scipy
    scripts/prepare release stkr_command
    /usr/bin/python3 bench/grid.py --data DIR --dataset cora photo pubmed --threads 2

prints the seconds of each part and a markdown table. The grid is that of the paper's experiments
(appendix "Experiments"), for one split, in the transductive and the inductive setting: powers (poly),
inverse Laplacians (lap), kernel PCA (topd) and label propagation (lp, transductive only).

The SciPy code shares intermediate results where possible and uses as many threads as stkr: sparse
products are split by rows; one eigendecomposition serves every beta, one sequence of powers every step
of label propagation. If there are several algorithms, it tries all, and only the fastest counts:

- lap: a sparse LU for each eta, without pivoting, with one minimum-degree ordering for all of them,
  with the etas on different threads (`splu`); or block conjugate gradients that start from the solution
  of the previous eta, with the known eigenvectors D^1/2 1 of the components deflated (`cg`);
- topd: `eigsh` (`arpack`), `eigsh` with a sparse LU of the shifted matrix (`shift-invert`), or up to
  4,000 nodes `scipy.linalg.eigh` for the required end of the spectrum (`dense`).

Tolerances are those of stkr: 1e-8 for systems and eigenpairs. The first pass tries all algorithms;
passes with the fastest ones, alternating with stkr, follow until there are --repeats of them or --budget
seconds are used. SciPy's seconds exclude start-up and reading; stkr's are given with both ("whole
command", used for the ratio) and without.

A point is equal if both sides classify equally many validation and equally many test nodes correctly.
It is a tie if they differ by no more nodes than SciPy's scores leave undecided: nodes whose best and
second best scores differ by less than 1e-6, relative to the largest score. The exit code is 1 if any
point differs by more.
"""

import argparse
import contextlib
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
STKR = ROOT / "build/release/bin/stkr"


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", default=os.environ.get("STKR_DATA"), type=pathlib.Path,
                        help="folder of the .npz graphs (or the variable STKR_DATA)")
    parser.add_argument("--dataset", default=["photo"], nargs="+")
    parser.add_argument("--seed", default=0, type=int, help="of the split")
    parser.add_argument("--threads", default=2, type=int, help="for both sides")
    parser.add_argument("--repeats", default=5, type=int)
    parser.add_argument("--budget", default=300.0, type=float, metavar="SECONDS",
                        help="time limit for SciPy's passes; stkr always runs --repeats times")
    parser.add_argument("--tolerance", default=1e-8, type=float, help="for SciPy")
    parser.add_argument("--stkr", default=STKR, type=pathlib.Path)
    parser.add_argument("--peer-only", action="store_true")
    options = parser.parse_args()
    if options.data is None:
        parser.error("give the folder of the graphs with --data DIR or the variable STKR_DATA")
    for name in options.dataset:
        if not (options.data / f"{name}.npz").exists():
            parser.error(f"{options.data / name}.npz is missing")
    if not options.peer_only and not options.stkr.exists():
        parser.error(f"{options.stkr} is missing; build the target stkr_command")
    return options


if __name__ == "__main__":
    OPTIONS = parse_arguments()
    # OpenBLAS reads its thread count once, when NumPy loads it.
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[variable] = str(OPTIONS.threads)

import numpy as np  # noqa: E402
from grid_scipy import (  # noqa: E402
    BETAS,
    DENSE_BELOW,
    FAMILIES,
    METHODS,
    PARTS,
    WAYS,
    Problem,
    lap,
    load_graph,
    lp,
    make_split,
    poly,
    topd,
)


# --- both sides ----------------------------------------------------------------------------------


def run_peer(adjacency, labels, split, ways=None):
    """One pass over the grid. Without `ways`, tries all algorithms and keeps the fastest for each part."""
    run = {"seconds": {}, "unreached": {}, "points": [], "tried": {}, "ways": {}}
    run["split"] = {name: part.tolist() for name, part in split.items()}
    for setting in ("transductive", "inductive"):
        seconds = run["seconds"][setting] = {}
        with timer(seconds, "set-up"):
            problem = Problem(adjacency, labels, split, setting, OPTIONS.threads, OPTIONS.tolerance)
        run["unreached"][setting] = problem.unreached
        for method in (poly, lap, topd, lp):
            name = method.__name__
            if method is lp and setting == "inductive":
                continue
            tried, points = {}, {}
            for way in [ways[setting, name]] if ways else WAYS[name]:
                if way == "dense" and problem.size > DENSE_BELOW:
                    continue
                with timer(tried, way):
                    head = {"setting": setting, "method": name}
                    points[way] = [head | p | problem.score(f) for p, f in method(problem, way)]
                print(f"  {setting} {name}, {way}: {tried[way]:.1f} s", file=sys.stderr, flush=True)
            fastest = min(tried, key=tried.get)
            run["tried"][setting, name], run["ways"][setting, name] = tried, fastest
            run["points"] += points[fastest]
            seconds[name] = tried[fastest]
    return run


@contextlib.contextmanager
def timer(seconds, name):
    start = time.perf_counter()
    yield
    seconds[name] = time.perf_counter() - start


def run_stkr(program, data, split, threads):
    """The document of `stkr select`, and the seconds of the whole command."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "split.npz"
        np.savez(path, **{name: np.asarray(part, np.int64) for name, part in split.items()})
        command = [program, "select", data, "--split", path, "--kernel", "symmetric", "--json",
                   "--literal-top-d", "--betas", ",".join(map(repr, BETAS)), "--threads", threads]
        start = time.perf_counter()
        out = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, text=True)
        wall = time.perf_counter() - start
    if out.returncode not in (0, 4):  # 4: some solves did not converge, as recorded in the points
        sys.exit(f"{' '.join(map(str, command))}: exit code {out.returncode}")
    return json.loads(out.stdout), wall


def read_points(document):
    """Points by grid position, from the document of `stkr select` or from run_peer()."""

    def place(p):
        numbers = p["param"], p.get("iterations", p.get("beta"))
        method = p["method"] if "method" in p else FAMILIES[p["family"]]  # run_peer, or stkr select
        return p["setting"], method, *(float(f"{x:.9g}") for x in numbers)

    return {place(p): p for p in document["points"]}


# --- report --------------------------------------------------------------------------------------


def total_seconds(run):
    return sum(sum(seconds.values()) for seconds in run["seconds"].values())


def report_peer(name, run):
    sizes = {part: len(nodes) for part, nodes in run["split"].items()}
    print(f"\n{name}: " + ", ".join(f"{v} {k}" for k, v in sizes.items()))
    print(f"  {'':20}{'points':>8}{'with ties':>11}   seconds per algorithm; best by validation"
          " (val, test)")
    for (setting, method), tried in run["tried"].items():
        points = [p for p in run["points"] if (p["setting"], p["method"]) == (setting, method)]
        best = max(points, key=lambda p: p["val"])
        ties = sum(any(p["ties"].values()) for p in points)
        ways = ", ".join(f"{way} {seconds:.2f}"
                         for way, seconds in sorted(tried.items(), key=lambda t: t[1]))
        print(f"  {setting + ' ' + method:20}{len(points):8}{ties:11}   {ways};"
              f" {describe(best)}: {best['val']:.4f} {best['test']:.4f}")
    for setting, lost in run["unreached"].items():
        print(f"  {setting}: {lost['val']} val and {lost['test']} test nodes are not connected to a label")
        for p in run["points"]:
            if p["setting"] == setting and p.get("gap", 1) < 1e-8 and p["beta"] == BETAS[0]:
                print(f"  {setting}: d = {p['param']} splits a cluster of eigenvalues,"
                      f" gap {p['gap']:.0e}")


def describe(p):
    other = f"T = {p['iterations']}" if "iterations" in p else f"beta = {p['beta']:g}"
    return f"{p['param']:g}, {other}"


def nodes_apart(run, mine, theirs):
    return {
        part: abs(round((mine[part] - theirs[part]) * len(run["split"][part]))) for part in PARTS}


def is_tie(point, apart):
    return all(apart[part] <= point["ties"][part] for part in PARTS)


def compare(run, ours):
    """Print, per setting and method, how many points agree; return how many differ or are missing."""
    theirs = read_points(run)
    print(f"  {'':20}{'points':>8}{'equal':>8}{'ties':>8}{'differ':>8}{'missing':>9}"
          f"{'most nodes apart (val, test)':>31}")
    failures = 0
    for setting in run["seconds"]:
        for method in METHODS:
            places = [key for key in theirs if key[:2] == (setting, method)]
            if not places:
                continue
            counts = dict(equal=0, ties=0, differ=0, missing=0)
            most, listed = dict.fromkeys(PARTS, 0), []
            for key in places:
                if key not in ours:
                    counts["missing"] += 1
                    continue
                apart = nodes_apart(run, ours[key], theirs[key])
                if not any(apart.values()):
                    counts["equal"] += 1
                elif is_tie(theirs[key], apart):
                    counts["ties"] += 1
                else:
                    counts["differ"] += 1
                    listed.append((max(apart.values()), describe(theirs[key])))
                    most = {part: max(most[part], apart[part]) for part in PARTS}
            failures += counts["differ"] + counts["missing"]
            print(f"  {setting + ' ' + method:20}{len(places):8}{counts['equal']:8}"
                  f"{counts['ties']:8}{counts['differ']:8}{counts['missing']:9}"
                  f"{most['val']:24},{most['test']:6}")
            for apart, name in sorted(listed, reverse=True)[:3]:
                print(f"    {name}: {apart} nodes apart")
    return failures


def span(seconds):
    return f"{statistics.median(seconds):.2f} s ({min(seconds):.2f}-{max(seconds):.2f})"


def run_dataset(name):
    """Run both sides on one graph; return the table row and how many points differ or are missing."""
    path = OPTIONS.data / f"{name}.npz"
    adjacency, labels = load_graph(path)
    split = make_split(name, labels, OPTIONS.seed)
    first = run_peer(adjacency, labels, split)
    report_peer(name, first)
    passes, inner, wall, document = [total_seconds(first)], [], [], None
    for repeat in range(OPTIONS.repeats):
        if not OPTIONS.peer_only:
            document, seconds = run_stkr(OPTIONS.stkr, path, split, OPTIONS.threads)
            inner.append(document["seconds"])
            wall.append(seconds)
        if repeat + 1 < OPTIONS.repeats and sum(passes) + passes[0] <= OPTIONS.budget:
            passes.append(total_seconds(run_peer(adjacency, labels, split, first["ways"])))
    if OPTIONS.peer_only:
        return f"| {name} | {span(passes)}, {len(passes)} passes | | | | | |", 0
    failures = compare(first, read_points(document))
    ways = "; ".join(f"{setting}: {first['ways'][setting, 'lap']}, {first['ways'][setting, 'topd']}"
                     for setting in first["seconds"])
    ratio = statistics.median(passes) / statistics.median(wall)
    return (f"| {name} | {span(passes)}, {len(passes)} passes | {ways} | {span(wall)} | {span(inner)}"
            f" | {ratio:.1f} | {failures} |"), failures


def main():
    results = [run_dataset(name) for name in OPTIONS.dataset]
    print(f"\nWhole grid, both settings, {OPTIONS.threads} threads, tolerance {OPTIONS.tolerance:g}, "
          "medians (ranges):\n\n"
          "| graph | SciPy | its fastest algorithms for lap, topd | stkr, whole command"
          " | without start-up and reading | SciPy / whole command | points that differ |\n"
          "| --- | --- | --- | --- | --- | --- | --- |")
    print("\n".join(row for row, _ in results))
    sys.exit(1 if any(failures for _, failures in results) else 0)


if __name__ == "__main__":
    main()
