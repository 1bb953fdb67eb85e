#!/usr/bin/python3
"""The largest eigenpairs of a graph's normalized adjacency: stkr and SciPy's eigensolvers.

    sudo apt-get install python3-scipy
    scripts/prepare release stkr_python
    /usr/bin/python3 bench/eigenpairs.py DIR/pubmed.npz --count 512 --tolerance 1e-8 --threads 2

prints a markdown table. All methods get the same tolerance, and the same NumPy code computes
|S u - lambda u| of each result; the table has its largest entry, the defect of orthogonality and the
largest difference of the eigenvalues from stkr's. The methods:

- eigsh: ARPACK, which="LA", with its default space (ncv = 2k + 1) and with ncv = 3k;
- eigsh, shift-invert: sigma = 1.01, just above the spectrum, with a sparse LU of sigma I - S that is
  ordered by minimum degree and not pivoted, SciPy's fastest for this matrix; the total includes its
  seconds. Default ncv and ncv = 1.5 k;
- LOBPCG: a random block of k columns and a tenth more, no preconditioner;
- stkr: `stkr.eigenpairs`.

Each runs in a separate process that is stopped after --limit seconds. Methods alternate, with --repeats
runs if the first run took less than a minute, else one.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
import warnings

ROOT = pathlib.Path(__file__).resolve().parent.parent
WAYS = {
    "eigsh": ("arpack", None),
    "eigsh, ncv = 3k": ("arpack", 3.0),
    "eigsh, shift-invert": ("shift_invert", None),
    "eigsh, shift-invert, ncv = 1.5k": ("shift_invert", 1.5),
    "LOBPCG": ("lobpcg", None),
    "stkr": ("stkr", None),
}


# --- one method, in a separate process -------------------------------------------------------------


def read_adjacency(path):
    import numpy as np
    import scipy.sparse

    file = np.load(path)
    indices, indptr, shape = (file[f"adj_{name}"] for name in ("indices", "indptr", "shape"))
    data = file["adj_data"] if "adj_data" in file else np.ones(len(indices))
    return scipy.sparse.csr_matrix((data.astype(float), indices, indptr), shape=shape)


def normalized(adjacency):
    import numpy as np
    import scipy.sparse

    degree = np.asarray(adjacency.sum(axis=1)).ravel()
    scale = scipy.sparse.diags(np.where(degree > 0, degree, 1.0) ** -0.5)
    return (scale @ adjacency @ scale).tocsr()


def arpack(s, task):
    import scipy.sparse.linalg

    return scipy.sparse.linalg.eigsh(s, k=task["count"], which="LA", tol=task["tolerance"],
                                     ncv=task["ncv"])


def shift_invert(s, task, sigma=1.01):
    import scipy.sparse
    import scipy.sparse.linalg

    size = s.shape[0]
    lu = scipy.sparse.linalg.splu((sigma * scipy.sparse.identity(size) - s).tocsc(),
                                  permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0,
                                  options={"SymmetricMode": True})
    inverse = scipy.sparse.linalg.LinearOperator(s.shape, matvec=lambda x: -lu.solve(x.ravel()),
                                                 dtype=float)
    return scipy.sparse.linalg.eigsh(s, k=task["count"], sigma=sigma, which="LM", OPinv=inverse,
                                     tol=task["tolerance"], ncv=task["ncv"])


def lobpcg(s, task):
    import numpy as np
    import scipy.sparse.linalg

    count = task["count"]
    start = np.random.default_rng(1).standard_normal((s.shape[0], count + count // 10))
    with warnings.catch_warnings():  # about columns beyond the k-th that have not converged
        warnings.simplefilter("ignore")
        values, vectors = scipy.sparse.linalg.lobpcg(s, start, tol=task["tolerance"], maxiter=2000,
                                                     largest=True)
    return values[:count], vectors[:, :count]


def stkr(s, task):
    import stkr as package

    # The library normalizes the adjacency itself.
    gram = package.gram.graph(read_adjacency(task["graph"]), "symmetric", n_jobs=task["threads"])
    pairs = package.eigenpairs(gram, task["count"], tol=task["tolerance"], n_jobs=task["threads"])
    return pairs.values, pairs.vectors


def memory(field):
    lines = pathlib.Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field))


def work(task):
    import numpy as np
    import scipy.sparse.linalg  # noqa: F401  before timing starts

    if task["way"] == "stkr":
        import stkr as _  # noqa: F401
    s = normalized(read_adjacency(task["graph"]))
    before = memory("VmRSS")
    function = {"arpack": arpack, "shift_invert": shift_invert, "lobpcg": lobpcg, "stkr": stkr}
    start = time.perf_counter()
    values, vectors = function[task["way"]](s, task)
    seconds = time.perf_counter() - start
    peak = memory("VmHWM")
    order = np.argsort(values)[::-1]
    values, vectors = values[order], vectors[:, order]
    np.save(task["result"], values)
    return {"seconds": seconds, "memory": peak - before,
            "residual": float(np.linalg.norm(s @ vectors - vectors * values, axis=0).max()),
            "orthogonality": float(np.abs(vectors.T @ vectors - np.eye(values.size)).max())}


# --- all methods alternately -----------------------------------------------------------------------


def run_worker(task, options, folder):
    """A measurement, or None if the limit was reached."""
    task = task | {"result": f"{folder}/values.npy"}
    environment = os.environ | {"OPENBLAS_NUM_THREADS": str(options.threads),
                                "OMP_NUM_THREADS": str(options.threads),
                                "PYTHONPATH": str(options.package)}
    try:
        out = subprocess.run([sys.executable, __file__, "--worker", json.dumps(task)], check=True,
                             stdout=subprocess.PIPE, text=True, env=environment,
                             timeout=options.limit)
    except subprocess.TimeoutExpired:
        return None
    import numpy as np

    return json.loads(out.stdout) | {"values": np.load(task["result"])}


def measure(options):
    """The measurements of every method; a method that is slow or reached the limit runs once."""
    measured = {name: [] for name in WAYS}
    with tempfile.TemporaryDirectory() as folder:
        for repeat in range(options.repeats):
            for name, (way, ncv) in WAYS.items():
                before = measured[name]
                if repeat and (before[0] is None or before[0]["seconds"] > 60):
                    continue
                task = {"way": way, "graph": str(options.graph), "count": options.count,
                        "tolerance": options.tolerance, "threads": options.threads,
                        "ncv": ncv and int(ncv * options.count)}
                m = run_worker(task, options, folder)
                before.append(m)
                print(f"  {name}: " + (f"{m['seconds']:.1f} s" if m else "stopped"),
                      file=sys.stderr, flush=True)
    return measured


def report(options, measured):
    """Print the table; return whether stkr's residual is within the tolerance."""
    import numpy as np

    own = measured["stkr"]
    if own[0] is None:
        sys.exit(f"stkr took more than {options.limit} s")
    median = statistics.median(m["seconds"] for m in own)
    size = read_adjacency(options.graph).shape[0]
    print(f"\n{options.count} pairs of {options.graph.stem} ({size:,} nodes), tolerance"
          f" {options.tolerance:g}, {options.threads} threads:\n")
    print("| method | runs | seconds: median (range) | largest residual | orthogonality | eigenvalues"
          " differ from stkr's by | memory | stkr is faster by |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for name, runs in measured.items():
        if runs[0] is None:
            print(f"| {name} | 1 | more than {options.limit} | | | | | more than"
                  f" {options.limit / median:.0f} |")
            continue
        seconds = sorted(m["seconds"] for m in runs)
        worst = lambda key: max(m[key] for m in runs)
        apart = max(np.abs(m["values"] - own[0]["values"]).max() for m in runs)
        ratio = "" if name == "stkr" else f"{statistics.median(seconds) / median:.1f}"
        print(f"| {name} | {len(runs)} | {statistics.median(seconds):.2f}"
              f" ({seconds[0]:.2f}-{seconds[-1]:.2f}) | {worst('residual'):.0e}"
              f" | {worst('orthogonality'):.0e} | {apart:.0e} | {worst('memory') / 1e6:,.0f} MB"
              f" | {ratio} |")
    return max(m["residual"] for m in own) <= options.tolerance


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("graph", type=pathlib.Path, nargs="?")
    parser.add_argument("--package", default=ROOT / "build/release/python", type=pathlib.Path,
                        help="folder of the package stkr")
    parser.add_argument("--count", default=512, type=int)
    parser.add_argument("--tolerance", default=1e-8, type=float)
    parser.add_argument("--threads", default=2, type=int, help="for both libraries")
    parser.add_argument("--repeats", default=3, type=int)
    parser.add_argument("--limit", default=600, type=int, help="seconds per run")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        print(json.dumps(work(json.loads(options.worker))))
        return
    if options.graph is None or not options.graph.exists():
        parser.error("give the .npz file of an existing graph")
    if not (options.package / "stkr").exists():
        parser.error(f"{options.package}/stkr is missing; build the target stkr_python")
    if not report(options, measure(options)):
        sys.exit("stkr's residual is above the tolerance")


if __name__ == "__main__":
    main()
