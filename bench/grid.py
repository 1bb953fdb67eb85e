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
import concurrent.futures
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
import scipy.linalg  # noqa: E402
import scipy.sparse as sp  # noqa: E402
import scipy.sparse.csgraph  # noqa: E402
import scipy.sparse.linalg  # noqa: E402

POWERS = (1, 2, 4, 6, 8)
ETAS = (0.7, 0.8, 0.9, 0.99, 0.999, 0.9999, 0.99999, 0.999999)
DIMENSIONS = (32, 64, 128, 256, 512)
BETAS = tuple(float(f"1e{k}") for k in range(3, -9, -1))
STEPS = (1, 2, 4, 8, 16, 32)
METHODS = ("poly", "lap", "topd", "lp")
PARTS = ("val", "test")
WAYS = {"poly": ("products",), "lap": ("splu", "cg"), "topd": ("arpack", "shift-invert", "dense"),
        "lp": ("products",)}
DENSE_BELOW = 4000
LU_OPTIONS = {"diag_pivot_thresh": 0.0, "options": {"SymmetricMode": True}}

NO_EVIDENCE = 1e-10  # of the largest score
TIE = 1e-6  # of the largest score


# --- data ----------------------------------------------------------------------------------------


def load_graph(path):
    with np.load(path) as a:
        w = sp.csr_matrix((a["adj_data"], a["adj_indices"], a["adj_indptr"]), shape=a["adj_shape"])
        return w.astype(np.float64), a["labels"]


def make_split(dataset, labels, seed):
    """The paper's sizes: 1% test; 20 per class, or Planetoid's sizes, for train and val."""
    nodes = labels.size
    twenty_per_class = 20 * (int(labels.max()) + 1)
    planetoid = {"cora": 500, "citeseer": 500, "pubmed": 500}
    sizes = [twenty_per_class, planetoid.get(dataset, twenty_per_class), (nodes + 50) // 100]
    parts = np.split(np.random.default_rng(seed).permutation(nodes), np.cumsum(sizes))
    return {name: np.sort(part) for name, part in zip(("train", "val", "test", "other"), parts)}


class Problem:
    """The nodes that are visible in one setting, and the scored nodes (val, then test)."""

    def __init__(self, adjacency, labels, split, setting, threads, tolerance):
        self.threads, self.tolerance = threads, tolerance
        self.scored = scored = np.concatenate([split["val"], split["test"]])
        if setting == "transductive":
            visible = np.arange(labels.size)
        else:
            visible = np.sort(np.concatenate([split["train"], split["other"]]))
        w = adjacency[visible][:, visible]
        self.size = visible.size
        scale = inverse_root(w.sum(axis=1))
        self.s = (sp.diags(scale) @ w @ sp.diags(scale)).tocsr()
        self.product = ThreadedProduct(self.s, threads)
        # Rows K(x, .) of the scored nodes; D(x) counts visible nodes, so that in the transductive
        # setting these are rows of N S.
        rows = adjacency[scored][:, visible]
        row_scale = inverse_root(rows.sum(axis=1))
        self.rows = (self.size * sp.diags(row_scale) @ rows @ sp.diags(scale)).tocsr()

        self.labeled = np.searchsorted(visible, split["train"])
        self.unlabeled = np.setdiff1d(np.arange(self.size), self.labeled)
        self.y = np.eye(labels.max() + 1)[labels[split["train"]]]
        self.truth = labels[scored]
        self.parts = {"val": slice(0, split["val"].size), "test": slice(split["val"].size, None)}

        _, component = sp.csgraph.connected_components(w, directed=False)
        known = np.isin(component, component[self.labeled]).astype(float)
        self.unreached = self.count(rows @ known == 0)
        # D^1/2 1 on each component: the normalized eigenvectors for eigenvalue 1.
        root = np.sqrt(np.asarray(w.sum(axis=1)).ravel())
        top = sp.csr_matrix((root, (np.arange(self.size), component)))
        lengths = np.sqrt(np.asarray(top.multiply(top).sum(axis=0)).ravel())
        self.top = (top @ sp.diags(np.divide(1.0, lengths, where=lengths > 0,
                                             out=np.zeros_like(lengths)))).tocsr()

    def count(self, nodes):
        return {part: int(nodes[where].sum()) for part, where in self.parts.items()}

    def score(self, f):
        """Accuracies of the scores f, and the number of nearly undecided nodes."""
        size = np.abs(f).max(axis=1)
        largest = size.max()
        predicted = f.argmax(axis=1)
        none = size <= NO_EVIDENCE * largest
        predicted[none] = self.y.sum(axis=0).argmax()
        second, best = np.partition(f, -2, axis=1)[:, -2:].T
        undecided = (best - second < TIE * largest) & (size > 0)
        right = {p: (predicted[w] == self.truth[w]).astype(float) for p, w in self.parts.items()}
        # As in stkr: nodes without evidence score 1/classes for selection; reports use the most
        # frequent class.
        right["val"][none[self.parts["val"]]] = 1.0 / self.y.shape[1]
        accuracy = {p: float(values.mean()) for p, values in right.items()}
        return accuracy | {"ties": self.count(undecided)}


class ThreadedProduct:
    """S @ x with the rows split into pieces of equal work: SciPy's product uses one thread."""

    def __init__(self, s, threads):
        cuts = np.searchsorted(s.indptr, np.linspace(0, s.nnz, threads + 1)[1:-1])
        edges = [0, *cuts, s.shape[0]]
        self.pieces = [s[i:j] for i, j in zip(edges, edges[1:])]
        self.pool = concurrent.futures.ThreadPoolExecutor(threads)

    def __matmul__(self, x):
        return np.concatenate(list(self.pool.map(lambda piece: piece @ x, self.pieces)))


def inverse_root(degrees):
    d = np.asarray(degrees).ravel()
    return np.divide(1.0, np.sqrt(d), out=np.zeros_like(d), where=d > 0)


# --- the four methods ----------------------------------------------------------------------------


def ridge_path(problem, gram, cross):
    """f = cross (gram + n beta I)^-1 Y for every beta, from one eigendecomposition.

    Labeled nodes without neighbors do not contribute to scores, but their alpha = y / (n beta) would
    amplify the round-off of the other eigenvectors, so they are excluded.
    """
    used = gram.any(axis=1) | cross.any(axis=0)
    a = gram[np.ix_(used, used)]
    values, vectors = np.linalg.eigh((a + a.T) / 2)
    left, right = cross[:, used] @ vectors, vectors.T @ problem.y[used]
    for beta in BETAS:
        yield beta, left @ (right / (values + len(gram) * beta)[:, None])


def labeled_columns(problem):
    e = np.zeros((problem.size, problem.labeled.size))
    e[problem.labeled, np.arange(problem.labeled.size)] = 1.0
    return e


def poly(problem, _way):
    """s = lambda^p: A = N E' S^p E and c = S^(p-1) E alpha."""
    block, power = labeled_columns(problem), 1
    labeled_rows = problem.size * problem.s[problem.labeled]
    for p in POWERS:
        while power < p:
            block, power = problem.product @ block, power + 1
        for beta, f in ridge_path(problem, labeled_rows @ block, problem.rows @ block):
            yield {"param": p, "beta": beta}, f


def conjugate_gradients(problem, eta, b, x, max_iterations=20000):
    """X with (I - eta S) X = B from a start X; every column has its own step.

    The known eigenvectors, with eigenvalue 1, are solved for directly, which improves the condition
    of the rest.
    """
    u = problem.top
    known = u.T @ b
    goal = problem.tolerance**2 * np.einsum("ij,ij->j", b, b)
    x = x - u @ (u.T @ x)
    r = b - u @ known - x + eta * (problem.product @ x)
    p = r.copy()
    rho = np.einsum("ij,ij->j", r, r)
    for _ in range(max_iterations):
        if (rho <= goal).all():
            return x + u @ (known / (1.0 - eta))
        q = problem.product @ p
        q *= -eta
        q += p
        curvature = np.einsum("ij,ij->j", p, q)
        # A column with a residual of exactly zero does not change.
        step = np.divide(rho, curvature, out=np.zeros_like(rho), where=curvature > 0)
        q *= step
        r -= q
        np.multiply(p, step, out=q)
        x += q
        rho, previous = np.einsum("ij,ij->j", r, r), rho
        p *= np.divide(rho, previous, out=np.zeros_like(rho), where=previous > 0)
        p += r
    raise RuntimeError(f"conjugate gradients: no convergence at eta = {eta}")


def resolvents(problem, way):
    """(I - eta S)^-1 E for every eta."""
    e = labeled_columns(problem)
    if way == "cg":
        x = e
        for eta in ETAS:
            x = conjugate_gradients(problem, eta, e, x)
            yield eta, x
        return
    identity = sp.identity(problem.size)
    first = sp.linalg.splu((identity - ETAS[0] * problem.s).tocsc(), permc_spec="MMD_AT_PLUS_A",
                           **LU_OPTIONS)
    order = np.argsort(first.perm_c)
    ordered, right = problem.s[order][:, order], e[order]

    def solve(eta):
        lu = sp.linalg.splu((identity - eta * ordered).tocsc(), permc_spec="NATURAL", **LU_OPTIONS)
        x = np.empty_like(right)
        x[order] = lu.solve(right)
        return eta, x

    with concurrent.futures.ThreadPoolExecutor(problem.threads) as pool:
        yield from pool.map(solve, ETAS)


def lap(problem, way):
    """s = lambda / (1 - eta lambda): c = (I - eta S)^-1 E alpha."""
    labeled_rows = problem.size * problem.s[problem.labeled]
    for eta, block in resolvents(problem, way):
        for beta, f in ridge_path(problem, labeled_rows @ block, problem.rows @ block):
            yield {"param": eta, "beta": beta}, f


def kernel_pca(problem, way, dimensions=max(DIMENSIONS)):
    """Largest eigenpairs of G_{K,m}/m, in descending order, with |v_i|^2 = 1/(m lambda_i).

    Computed per component: N/m is an eigenvalue for every component without a label, and ARPACK on
    the whole matrix returns only about half of these copies (70 on Cora).
    """
    u = problem.unlabeled
    bound = problem.size / u.size  # of the eigenvalues
    gram = bound * problem.s[u][:, u]
    _, component = sp.csgraph.connected_components(gram, directed=False)
    pairs = []
    for members in np.split(np.argsort(component, kind="stable"), np.bincount(component).cumsum()):
        if members.size > 1:  # an isolated node has eigenvalue 0
            block = gram[members][:, members]
            values, vectors = largest_eigenpairs(block, dimensions, problem.tolerance, way, bound)
            pairs += [(value, members, v) for value, v in zip(values, vectors.T) if value > 0]
    pairs = sorted(pairs, key=lambda pair: -pair[0])[:dimensions]
    scaled = np.zeros((u.size, len(pairs)))
    for i, (value, members, v) in enumerate(pairs):
        scaled[members, i] = v / np.sqrt(u.size * value)
    return np.array([value for value, _, _ in pairs]), scaled


def largest_eigenpairs(matrix, count, tolerance, way, bound):
    size = matrix.shape[0]
    if way == "dense" or size <= 2 * count:
        return scipy.linalg.eigh(matrix.toarray(), subset_by_index=(max(0, size - count), size - 1))
    start = np.random.default_rng(0).standard_normal(size)
    if way == "arpack":
        return sp.linalg.eigsh(matrix, k=count, which="LA", tol=tolerance, v0=start)
    sigma = 1.01 * bound
    lu = sp.linalg.splu((sigma * sp.identity(size) - matrix).tocsc(), permc_spec="MMD_AT_PLUS_A",
                        **LU_OPTIONS)
    inverse = sp.linalg.LinearOperator(matrix.shape, matvec=lambda x: -lu.solve(x.ravel()),
                                       dtype=float)
    # Smaller than the default 2k + 1: fewer columns to orthogonalize against.
    return sp.linalg.eigsh(matrix, k=count, sigma=sigma, which="LM", OPinv=inverse, tol=tolerance,
                           ncv=3 * count // 2, v0=start)


def topd(problem, way):
    values, v = kernel_pca(problem, way)
    u = problem.unlabeled
    psi_labeled = problem.size * problem.s[problem.labeled][:, u] @ v
    psi_scored = problem.rows[:, u] @ v
    for d in DIMENSIONS:
        if d > values.size:
            continue
        # Features that are zero on every labeled node get no weight.
        used = np.abs(psi_labeled[:, :d]).max(axis=0) > 0
        a, b = psi_labeled[:, :d][:, used], psi_scored[:, :d][:, used]
        note = {"gap": float(values[d - 1] - values[d])} if d < values.size else {}
        for beta, f in primal_path(problem, a, b) if a.shape[1] <= len(a) else dual_path(problem, a, b):
            yield {"param": d, "beta": beta} | note, f


def primal_path(problem, a, b):
    """f = b (a'a + n beta I)^-1 a' Y; a is n x d."""
    values, vectors = np.linalg.eigh(a.T @ a)
    left, right = b @ vectors, vectors.T @ (a.T @ problem.y)
    for beta in BETAS:
        yield beta, left @ (right / (values + len(a) * beta)[:, None])


def dual_path(problem, a, b):
    """The same as f = b a' (a a' + n beta I)^-1 Y, for d > n."""
    return ridge_path(problem, a @ a.T, b @ a.T)


def lp(problem, _way):
    """Zhou et al. (2003): T steps Y <- eta S Y + Y0, i.e. sum_{t <= T} eta^t S^t Y0."""
    block = np.zeros((problem.size, problem.y.shape[1]))
    block[problem.labeled] = problem.y
    powers = [block[problem.scored]]
    for _ in range(max(STEPS)):
        block = problem.product @ block
        powers.append(block[problem.scored])
    for eta in ETAS:
        y = powers[0]
        for step in range(1, max(STEPS) + 1):
            y = y + eta**step * powers[step]
            if step in STEPS:
                yield {"param": eta, "iterations": step}, y


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
        return p["setting"], p["method"], *(float(f"{x:.9g}") for x in numbers)

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
