#!/usr/bin/python3
"""Choice of the default graph kernel: accuracy of stkr's defaults with each kernel and few labels per class.

    scripts/prepare release
    PYTHONPATH=build/release/python /usr/bin/python3 bench/graph_kernels.py --data DIR [--json FILE]

With W the weights and D its row sums, S_sym = D^-1/2 W D^-1/2:

    lazy walk   S = (I + S_sym)/2,  s = λ/(1 - ηλ)
    symmetric   S = S_sym,          s = λ/(1 - ηλ): negative λ have a negative weight
    even        S = S_sym,          s = λ²/(1 - ηλ²), the inverse Laplacian of S_sym²: no λ is negative

η = 0.99 and the other parameters at their defaults; with --rhos also with ridges relative to the mean
diagonal of K_s at the labels, n β = ρ tr(G)/n, because a ridge in fixed units has a different effect for
each kernel. Label propagation with the same η is included for comparison.

`seen`: all nodes are in the graph, and the unlabeled nodes are scored. `new`: a fifth of the nodes is held
out with its edges, and predicted from its edges to the others. Five draws of labels and held-out nodes, the
same for all kernels; 5 and 20 labels per class, in small classes at most half of the nodes.
"""

import argparse
import json
import os
import pathlib
import time
import warnings

import numpy as np
import scipy.sparse
import scipy.sparse.linalg
import stkr

ETA = 0.99
SETS = ("cora", "citeseer", "pubmed", "photo", "cs", "dblp")
NEW_SHARE = 0.2


EVEN = stkr.transforms.reciprocal([1.0, 0.0, -ETA], r=2)  # 1/s = λ^-2 - η
ODD = stkr.transforms.inverse_laplacian(ETA)
KERNELS = {"lazy walk": ("lazy_walk", ODD), "symmetric": ("symmetric", ODD), "even": ("symmetric", EVEN)}


def methods(rhos):
    """{name: (w, labeled, threads) -> estimator}"""
    def ridge(name, rho):
        normalization, transform = KERNELS[name]

        def make(w, labeled, threads):
            given = {} if rho is None else {
                "beta": rho * mean_diagonal(name, w, labeled) / len(labeled)}
            return stkr.STKRClassifier("graph", kernel_params={"normalization": normalization},
                                       spectral_transform=transform, n_jobs=threads, **given)
        return make

    def propagation(normalization):
        return lambda w, labeled, threads: stkr.LabelSpreading(
            "graph", kernel_params={"normalization": normalization}, eta=ETA, n_jobs=threads)

    made = {name: ridge(name, None) for name in KERNELS}
    made |= {f"{name}, ρ = {rho:g}": ridge(name, rho) for rho in rhos for name in KERNELS}
    return made | {"label propagation, lazy walk": propagation("lazy_walk"),
                   "label propagation, symmetric": propagation("symmetric")}


def mean_diagonal(name, w, labeled, most=20):
    """tr(G)/n over a sample of the labels: K_s(x, x) = N (s(S))_xx by conjugate gradients."""
    degree = np.asarray(w.sum(axis=1)).ravel()
    root = np.where(degree > 0, 1.0 / np.sqrt(np.where(degree > 0, degree, 1.0)), 0.0)
    s = scipy.sparse.diags(root) @ w @ scipy.sparse.diags(root)
    if name == "lazy walk":
        s = 0.5 * (scipy.sparse.identity(len(degree)) + s)
    apply = (lambda v: s @ (s @ v)) if name == "even" else (lambda v: s @ v)
    system = scipy.sparse.linalg.LinearOperator(s.shape, lambda v: v - ETA * apply(v), dtype=float)
    found = []
    for i in np.random.default_rng(0).permutation(labeled)[:most]:
        unit = np.zeros(len(degree))
        unit[i] = 1.0
        found.append(scipy.sparse.linalg.cg(system, apply(unit), tol=1e-6)[0][i])
    return len(degree) * float(np.mean(found))


def load(path):
    g = np.load(path)
    w = scipy.sparse.csr_matrix((g["adj_data"], g["adj_indices"], g["adj_indptr"]), g["adj_shape"])
    return w.astype(float), g["labels"]


def draw(y, per_class, random):
    rows = [np.flatnonzero(y == c) for c in np.unique(y)]
    return np.concatenate([random.choice(r, min(per_class, len(r) // 2), replace=False) for r in rows])


def run(make, w, y, labeled, known, new, threads):
    """Accuracies on seen and on new nodes, and whether both fits converged."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about components without a label and negative s
        whole = make(w, labeled, threads)
        start = time.perf_counter()
        whole.fit(w, y, labeled=labeled)
        seconds = time.perf_counter() - start
        hidden = np.setdiff1d(np.arange(len(y)), labeled)
        place = np.searchsorted(known, labeled)
        inner = w[known][:, known].tocsr()
        part = make(inner, place, threads).fit(inner, y[known], labeled=place)
        answers = part.predict(w[new][:, known].tocsr())
    return (float(np.mean(whole.transduction_[hidden] == y[hidden])), float(np.mean(answers == y[new])),
            seconds, bool(whole.summary_.converged and part.summary_.converged))


def mean_and_error(values):
    values = 100 * np.asarray(values)
    error = values.std(ddof=1) / len(values) ** 0.5 if len(values) > 1 else 0.0
    return values.mean(), error


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", default=os.environ.get("STKR_DATA"), type=pathlib.Path,
                        required="STKR_DATA" not in os.environ)
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=SETS)
    parser.add_argument("--per-class", nargs="+", default=[5, 20], type=int)
    parser.add_argument("--draws", default=5, type=int)
    parser.add_argument("--rhos", nargs="*", default=[0.1], type=float)
    parser.add_argument("--threads", default=2, type=int)
    parser.add_argument("--json", type=pathlib.Path, help="write all accuracies to this file")
    options = parser.parse_args()

    kinds = methods(options.rhos)
    results = {}  # (set, labels per class, method): one row per draw
    for name in options.sets:
        w, y = load(options.data / f"{name}.npz")
        for per_class in options.per_class:
            for seed in range(options.draws):
                random = np.random.default_rng(seed)
                labeled = np.sort(draw(y, per_class, random))
                others = random.permutation(np.setdiff1d(np.arange(len(y)), labeled))
                new = np.sort(others[:round(NEW_SHARE * len(y))])
                known = np.setdiff1d(np.arange(len(y)), new)
                for method, make in kinds.items():
                    results.setdefault((name, per_class, method), []).append(
                        run(make, w, y, labeled, known, new, options.threads))
            print(f"{name}, {per_class} labels per class: done", flush=True)

    for place, title in enumerate(("seen", "new")):
        print(f"\nAccuracy on {title} nodes in percent, mean ± standard error over {options.draws} draws, for "
              "the lazy walk; for the others, paired differences to it.\n")
        print(f"| graph | labels per class | {' | '.join(kinds)} |")
        print("| --- | --- |" + " --- |" * len(kinds))
        gains = []
        for name, per_class in dict.fromkeys(key[:2] for key in results):
            rows = {m: np.array([r[place] for r in results[name, per_class, m]]) for m in kinds}
            base = rows["lazy walk"]
            cells = ["{:.1f} ± {:.1f}".format(*mean_and_error(base))]
            cells += ["{:+.1f} ± {:.1f}".format(*mean_and_error(rows[m] - base)) for m in kinds
                      if m != "lazy walk"]
            gains.append([100 * (rows[m] - base).mean() for m in kinds if m != "lazy walk"])
            print(f"| {name} | {per_class} | {' | '.join(cells)} |")
        means = np.mean(gains, axis=0)
        print(f"| mean | | | {' | '.join(f'{g:+.1f}' for g in means)} |")
    print()
    for method in kinds:
        runs = [r for key, rows in results.items() if key[2] == method for r in rows]
        failed = sum(not r[3] for r in runs)
        print(f"{method}: {np.sum([r[2] for r in runs]):.1f} s for fits on whole graphs; "
              f"fits did not converge in {failed} of {len(runs)} draws")
    if options.json:
        options.json.write_text(json.dumps(
            {f"{n}, {p}, {m}": rows for (n, p, m), rows in results.items()}, indent=1))


if __name__ == "__main__":
    main()
