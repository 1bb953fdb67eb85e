#!/usr/bin/python3
"""Times one product with a kernel matrix or a sparse matrix: stkr, scikit-learn, NumPy and SciPy.

    sudo apt-get install python3-sklearn python3-scipy
    scripts/prepare release stkr_python
    /usr/bin/python3 bench/products.py --threads 2

prints markdown tables (--json: the same as JSON). All methods get the same points and columns from the
same seed and must agree; each repetition runs every method once, alternately, in a separate process.
The tables have the median, the range and the memory of the product besides points and columns.

1. The RBF product K V at 20,000 points by all methods and at 50,000 by all but the first:
   - whole: scikit-learn's `rbf_kernel(X) @ V`, which forms the N x N matrix;
   - blocked: NumPy, 512 rows of K at a time in a reused buffer. NumPy's exponentials run on one thread,
     so blocks are distributed to as many threads as stkr has, with BLAS on one thread each;
   - blocked, half: the same, but only the blocks right of the diagonal are computed and used for both
     sides, as in stkr;
   - stkr: `stkr.gram.points(X) @ V`, including the construction of the gram.
2. The other point kernels, stkr only.
3. A sparse symmetric matrix with 10^6 nodes and 2*10^7 entries times 10 columns: SciPy's `A @ X`, which
   uses one thread; the same with the rows split among as many threads as stkr has; stkr.

`--scale 0.1` makes everything smaller, to try the script.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
FEATURES, COLUMNS, BLOCK = 64, 10, 512
RBF_WAYS = {  # name: (function, precision)
    "scikit-learn, whole": ("whole", "float64"),
    "NumPy, blocked": ("blocked", "float64"),
    "NumPy, blocked, half": ("half", "float64"),
    "stkr": ("stkr", "float64"),
    "NumPy, blocked, float32": ("blocked", "float32"),
    "NumPy, blocked, half, float32": ("half", "float32"),
    "stkr, float32": ("stkr", "float32"),
}
KERNELS = ("laplacian", "matern32", "cosine")
SPARSE_WAYS = {"SciPy, one thread": "scipy", "SciPy, rows cut": "scipy_cut", "stkr": "stkr_graph"}
# The largest difference from double precision, relative to the largest entry of K V.
ALLOWED = {"float64": 1e-12, "float32": 1e-5}


# --- one method, in a separate process -------------------------------------------------------------


def whole(np, x, v, threads):
    from sklearn.metrics.pairwise import rbf_kernel

    return rbf_kernel(x, gamma=0.5 / FEATURES) @ v


def blocked(np, x, v, threads, half=False):
    """K V with exp(2g x.y - g|x|^2 - g|y|^2), g = 1/(2 l^2), a block of rows at a time."""
    gamma = np.asarray(0.5 / FEATURES, dtype=x.dtype)
    v = v.astype(x.dtype, copy=False)
    columns = np.ascontiguousarray((2 * gamma * x).T)
    squares = gamma * np.einsum("ij,ij->i", x, x)
    starts = range(0, len(x), BLOCK)

    def rows_of(worker):
        result = np.zeros_like(v)
        buffer = np.empty(BLOCK * len(x), dtype=x.dtype)
        for start in starts[worker::threads]:
            stop, first = min(start + BLOCK, len(x)), start if half else 0
            tile = buffer[: (stop - start) * (len(x) - first)].reshape(stop - start, -1)
            np.matmul(x[start:stop], columns[:, first:], out=tile)
            tile -= squares[start:stop, None]
            tile -= squares[first:]
            np.exp(tile, out=tile)
            result[start:stop] += tile @ v[first:]
            if half:
                result[stop:] += tile[:, stop - start :].T @ v[start:stop]
        return result

    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        return sum(pool.map(rows_of, range(threads)))


def half(np, x, v, threads):
    return blocked(np, x, v, threads, half=True)


def stkr_points(np, x, v, threads, kernel="rbf"):
    import stkr

    # A length scale of about the typical distance, in the kernel's own norm.
    scale = {"rbf": FEATURES**0.5, "matern32": FEATURES**0.5, "laplacian": float(FEATURES)}
    return stkr.gram.points(x, kernel, length_scale=scale.get(kernel), n_jobs=threads) @ v * len(x)


def random_graph(np, nodes):
    """A symmetric matrix with about 20 entries per row."""
    import scipy.sparse

    random = np.random.default_rng(1)
    rows = np.repeat(np.arange(nodes, dtype=np.int32), 10)
    columns = random.integers(0, nodes, size=rows.size, dtype=np.int32)
    weights = random.uniform(0.5, 1.5, size=rows.size)
    a = scipy.sparse.csr_matrix((weights, (rows, columns)), shape=(nodes, nodes))
    return (a + a.T).tocsr()


def sparse_product(np, way, a, threads):
    """A function of a block of columns."""
    if way == "scipy":
        return lambda x: a @ x
    if way == "scipy_cut":
        cuts = np.searchsorted(a.indptr, np.linspace(0, a.nnz, threads + 1)[1:-1])
        edges = [0, *cuts, a.shape[0]]
        pieces = [a[i:j] for i, j in zip(edges, edges[1:])]
        pool = concurrent.futures.ThreadPoolExecutor(threads)
        return lambda x: np.concatenate(list(pool.map(lambda piece: piece @ x, pieces)))
    import stkr

    s = stkr.gram.graph(a, "adjacency", n_jobs=threads)
    return lambda x: (s @ x) * a.shape[0]


def reset_peak():
    """Return the resident bytes and reset the peak."""
    pathlib.Path("/proc/self/clear_refs").write_text("5")
    return memory("VmRSS")


def memory(field):
    lines = pathlib.Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field))


def work(task):
    """Run one method once after a small warm-up, save the result, return seconds and memory."""
    import numpy as np

    way, threads = task["way"], task["threads"]
    random = np.random.default_rng(2)
    if task["kind"] == "sparse":
        a = random_graph(np, task["size"])
        v = random.standard_normal((task["size"], COLUMNS))
        product = sparse_product(np, way, a, threads)
        product(v)
        # Bytes to read and write: index, value and row of v per entry; row start and result.
        amount = a.nnz * (12 + 8 * COLUMNS) + task["size"] * (8 + 8 * COLUMNS)
    else:
        x = random.standard_normal((task["size"], FEATURES)).astype(task["precision"])
        v = random.standard_normal((task["size"], COLUMNS))
        function = {"whole": whole, "blocked": blocked, "half": half, "stkr": stkr_points}[way]
        extra = {"kernel": task["kernel"]} if way == "stkr" else {}
        function(np, x[:1000].copy(), v[:1000].copy(), threads, **extra)
        product = lambda v: function(np, x, v, threads, **extra)
        amount = task["size"] ** 2
    before = reset_peak()
    start = time.perf_counter()
    y = product(v)
    seconds = time.perf_counter() - start
    extra_bytes = memory("VmHWM") - before
    np.save(task["result"], y.astype(np.float64))
    return {"seconds": seconds, "memory": extra_bytes, "amount": amount}


# --- all methods alternately -----------------------------------------------------------------------


def run_worker(task, package):
    blas = task["threads"] if task["way"] in ("whole", "stkr") else 1
    environment = os.environ | {
        "OPENBLAS_NUM_THREADS": str(blas), "OMP_NUM_THREADS": str(task["threads"]),
        "PYTHONPATH": str(package)}
    out = subprocess.run([sys.executable, __file__, "--worker", json.dumps(task)], check=True,
                         capture_output=True, text=True, env=environment)
    return json.loads(out.stdout)


def in_turns(tasks, repeats, package):
    """The measurements of every task by name; results must agree with the first task's."""
    import numpy as np

    measured = {name: [] for name in tasks}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(repeats):
            reference = None
            for name, task in tasks.items():
                task = task | {"result": f"{folder}/result.npy"}
                m = run_worker(task, package)
                y = np.load(task["result"])
                reference = y if reference is None else reference
                m["difference"] = float(np.abs(y - reference).max() / np.abs(reference).max())
                if m["difference"] > ALLOWED[task.get("precision", "float64")]:
                    sys.exit(f"{name} differs from {next(iter(tasks))} by {m['difference']:.1e}")
                measured[name].append(m)
                print(f"  {name}, {task['size']}: {m['seconds']:.3f} s", file=sys.stderr)
    return measured


def summarize(table, name, size, measurements):
    seconds = sorted(m["seconds"] for m in measurements)
    median = statistics.median(seconds)
    return {"table": table, "name": name, "size": size, "repeats": len(seconds), "seconds": median,
            "low": seconds[0], "high": seconds[-1], "rate": measurements[0]["amount"] / median,
            "memory": max(m["memory"] for m in measurements),
            "difference": max(m["difference"] for m in measurements)}


def span(row):
    return f"{row['seconds']:.2f} ({row['low']:.2f}-{row['high']:.2f})"


def show(rows, rate):
    """Print a markdown table; each peer is compared with stkr in the same precision."""
    print(f"| method | seconds: median (range) | {rate} | memory | difference | stkr is faster by |")
    print("| --- | --- | --- | --- | --- | --- |")
    own = {row["name"]: row["seconds"] for row in rows if row["name"].startswith("stkr")}
    for row in rows:
        mine = own["stkr, float32" if "float32" in row["name"] else "stkr"]
        ratio = "" if row["name"] in own else f"{row['seconds'] / mine:.1f}"
        print(f"| {row['name']} | {span(row)} | {row['rate'] / 1e9:.2f} | {row['memory'] / 1e6:,.0f} MB"
              f" | {row['difference']:.0e} | {ratio} |")


def show_kernels(rows):
    print("| kernel | double, seconds: median (range) | float32 | difference |")
    print("| --- | --- | --- | --- |")
    for kernel in KERNELS:
        double, single = (row for row in rows if row["name"].startswith(kernel))
        print(f"| {kernel} | {span(double)} | {span(single)} | {single['difference']:.0e} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--package", default=ROOT / "build/release/python", type=pathlib.Path,
                        help="folder of the package stkr")
    parser.add_argument("--threads", default=os.cpu_count(), type=int, help="for all methods")
    parser.add_argument("--repeats", default=5, type=int)
    parser.add_argument("--scale", default=1.0, type=float, help="factor for points and nodes")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        print(json.dumps(work(json.loads(options.worker))))
        return
    if not (options.package / "stkr").exists():
        parser.error(f"{options.package}/stkr is missing; build the target stkr_python")
    small, large, nodes = (int(n * options.scale) for n in (20000, 50000, 1000000))
    results = []

    def measure(table, tasks):
        tasks = {name: task | {"threads": options.threads} for name, task in tasks.items()}
        measured = in_turns(tasks, options.repeats, options.package)
        rows = [summarize(table, name, tasks[name]["size"], m) for name, m in measured.items()]
        results.extend(rows)
        return rows

    def announce(title):
        if not options.json:
            print(f"\n{title}, {COLUMNS} columns, {options.threads} threads, {options.repeats}"
                  " repetitions:\n", flush=True)

    def points(way, precision, size, kernel="rbf"):
        return {"kind": "points", "kernel": kernel, "way": way, "precision": precision, "size": size}

    for size, ways in ((small, list(RBF_WAYS)), (large, list(RBF_WAYS)[1:])):
        announce(f"RBF product, {size:,} × {FEATURES}")
        rows = measure("rbf", {name: points(*RBF_WAYS[name], size) for name in ways})
        if not options.json:
            show(rows, "10⁹ pairs/s")
    announce(f"Other kernels, {large:,} × {FEATURES}")
    rows = []
    for kernel in KERNELS:
        rows += measure("kernels", {f"{kernel}, {precision}": points("stkr", precision, large, kernel)
                                    for precision in ("float64", "float32")})
    if not options.json:
        show_kernels(rows)
    announce(f"Sparse product, {nodes:,} nodes, about {20 * nodes:,} entries")
    rows = measure("sparse", {name: {"kind": "sparse", "way": way, "size": nodes}
                              for name, way in SPARSE_WAYS.items()})
    if options.json:
        print(json.dumps(results, indent=2))
    else:
        show(rows, "GB/s")


if __name__ == "__main__":
    main()
