#!/usr/bin/python3
"""Regression from 5 % labels: stkr beside scikit-learn's kernel ridge, nearest neighbors and Gaussian process.

    sudo apt-get install python3-sklearn
    scripts/prepare release stkr_python
    PYTHONPATH=build/release/python /usr/bin/python3 bench/regression.py --draws 20 --json regression.json

Five sets that scikit-learn ships or generates, with the seeds below:

- diabetes: 442 patients, 10 features.
- friedman1: 2,000 points, 10 features of which 5 count, noise 1.
- friedman2: 2,000 points, 4 features, noise 125.
- swiss roll: 2,000 points in 3 dimensions, noise 0.3; the target is the coordinate along the roll.
- sine curve: 2,000 points with noise 0.05 in 5 dimensions near a closed curve; the target is sin 3t of its
  coordinate t plus noise 0.1.

Features are standardized over all samples, targets by the labeled ones. Random 5 % of the samples are labeled,
in the same draws for all methods; R² is that on the unlabeled samples. Each peer and "stkr, tuned" have 12
candidates and use the one with the smallest squared error in the same five folds of the labeled samples; in
stkr's, held-out samples are unlabeled ones. Of `STKRRegressor()` nothing is tuned here: it chooses kernel,
transform and ridge itself, by leaving labels out. In "stkr, tuned" it chooses the ridge.

- stkr, tuned: RBF with 0.5, 1 and 2 times the default length scale and powers 1 and 2, and graphs of 5, 10 and
  20 neighbors with the inverse Laplacian of eta = 0.99 and 0.999.
- KernelRidge: RBF with 0.5, 1, 2 and 4 times the median distance of labeled samples to their tenth labeled
  neighbor, ridges 1e-3, 1e-2 and 1e-1.
- KNeighborsRegressor: 1, 2, 3, 5, 8 and 12 neighbors, uniform and distance weights.
- GaussianProcessRegressor: RBF, Matérn 3/2 and 5/2, rational quadratic, each with a factor and white noise, with
  starting length scales of 0.3, 1 and 3; it maximizes the marginal likelihood in each of the 12.

Prints mean and standard error over the draws, and the median seconds per draw with all candidates. --json FILE
stores finished parts; an interrupted run resumes from it. Threads: OMP_NUM_THREADS.
"""

import argparse
import pathlib
import statistics
import warnings

import numpy as np
import stkr
from comparison import Results, markdown, seconds
from sklearn.datasets import load_diabetes, make_friedman1, make_friedman2, make_swiss_roll
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, Matern, RationalQuadratic, WhiteKernel
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics import r2_score
from sklearn.model_selection import KFold
from sklearn.neighbors import KNeighborsRegressor, NearestNeighbors

SHARE = 0.05


def sine_curve(count, random):
    t = random.uniform(0.0, 2.0 * np.pi, count)
    curve = np.stack([np.cos(t), np.sin(t), np.cos(2 * t), np.sin(2 * t), np.cos(3 * t + 1.0)], axis=1)
    return curve + 0.05 * random.standard_normal(curve.shape), np.sin(3 * t) + 0.1 * random.standard_normal(count)


SETS = {
    "diabetes": lambda: load_diabetes(return_X_y=True),
    "friedman1": lambda: make_friedman1(2000, noise=1.0, random_state=0),
    "friedman2": lambda: make_friedman2(2000, noise=125.0, random_state=0),
    "swiss roll": lambda: make_swiss_roll(2000, noise=0.3, random_state=0),
    "sine curve": lambda: sine_curve(2000, np.random.default_rng(0)),
}


def tenth_distance(x):
    """Median distance to the tenth neighbor, or the farthest if there are fewer."""
    count = min(10, len(x) - 1)
    return float(np.median(NearestNeighbors(n_neighbors=count).fit(x).kneighbors()[0][:, -1]))


def transduce(options):
    """Predictions for all samples from the labeled ones."""
    def predict(x, y, labeled):
        targets = np.full(len(x), np.nan)
        targets[labeled] = y[labeled]
        return stkr.STKRRegressor(**options).fit(x, targets, labeled=labeled).transduction_
    return predict


def supervised(make):
    def predict(x, y, labeled):
        return make().fit(x[labeled], y[labeled]).predict(x)
    return predict


# Each returns the candidates for a draw: functions (x, y, labeled) -> predictions for all samples.

def stkr_default(x, labeled):
    return [transduce({})]


def stkr_tuned(x, labeled):
    scale = tenth_distance(x[labeled])
    points = [{"length_scale": factor * scale, "spectral_transform": "power", "power": power}
              for factor in (0.5, 1.0, 2.0) for power in (1.0, 2.0)]
    graphs = [{"kernel": "knn", "n_neighbors": count, "eta": eta} for count in (5, 10, 20)
              for eta in (0.99, 0.999)]
    return [transduce(options) for options in points + graphs]


def kernel_ridge(x, labeled):
    scale = tenth_distance(x[labeled])
    return [supervised(lambda f=factor, ridge=ridge: KernelRidge(
        alpha=ridge, kernel="rbf", gamma=0.5 / (f * scale) ** 2))
        for factor in (0.5, 1.0, 2.0, 4.0) for ridge in (1e-3, 1e-2, 1e-1)]


def neighbors(x, labeled):
    return [supervised(lambda count=count, weights=weights: KNeighborsRegressor(count, weights=weights))
            for count in (1, 2, 3, 5, 8, 12) for weights in ("uniform", "distance")]


def gaussian_process(x, labeled):
    kernels = (RBF, lambda scale: Matern(scale, nu=1.5), lambda scale: Matern(scale, nu=2.5),
               lambda scale: RationalQuadratic(scale))
    return [supervised(lambda kernel=kernel, scale=scale: GaussianProcessRegressor(
        ConstantKernel() * kernel(scale) + WhiteKernel(0.1), normalize_y=True, random_state=0))
        for kernel in kernels for scale in (0.3, 1.0, 3.0)]


METHODS = {
    "STKRRegressor()": stkr_default,
    "stkr, tuned": stkr_tuned,
    "KernelRidge": kernel_ridge,
    "KNeighborsRegressor": neighbors,
    "GaussianProcessRegressor": gaussian_process,
}


def choose(candidates, x, y, labeled, seed):
    """The candidate with the smallest squared error in five folds of the labeled samples, the first if equal."""
    if len(candidates) == 1:
        return 0
    errors = np.zeros(len(candidates))
    for train, held in KFold(5, shuffle=True, random_state=seed).split(labeled):
        for k, predict in enumerate(candidates):
            answers = predict(x, y, labeled[train])[labeled[held]]
            errors[k] += np.sum((answers - y[labeled[held]]) ** 2)
    return int(np.argmin(errors))


def score(method, x, y, seed):
    random = np.random.default_rng(seed)
    labeled = np.sort(random.choice(len(y), round(SHARE * len(y)), replace=False))
    hidden = np.setdiff1d(np.arange(len(y)), labeled)
    y = (y - y[labeled].mean()) / y[labeled].std()

    def answers():
        candidates = method(x, labeled)
        k = choose(candidates, x, y, labeled, seed)
        return k, candidates[k](x, y, labeled)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        took, (k, predicted) = seconds(answers)
    return {"r2": float(r2_score(y[hidden], predicted[hidden])), "seconds": took, "chosen": k}


def summary(values):
    text = f"{statistics.mean(values):.3f}"
    return text + (f" ± {statistics.stdev(values) / len(values) ** 0.5:.3f}" if len(values) > 1 else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=list(SETS))
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--json", type=pathlib.Path, help="store finished parts there, and resume from it")
    arguments = parser.parse_args()
    results = Results(arguments.json, share=SHARE, stkr=stkr.__version__)
    rows = [["set", "labels", *METHODS]]
    times = {name: [] for name in METHODS}
    for data in arguments.sets:
        x, y = SETS[data]()
        x = (x - x.mean(axis=0)) / x.std(axis=0)
        row = []
        for name, method in METHODS.items():
            found = [results.measure(f"{data} {name} {k}", lambda: score(method, x, y, k))
                     for k in range(arguments.draws)]
            row.append(summary([of["r2"] for of in found]))
            times[name] += [of["seconds"] for of in found]
        rows.append([data, str(round(SHARE * len(y))), *row])
    rows.append(["seconds", "", *(f"{statistics.median(times[name]):.1f}" for name in METHODS)])
    print(markdown(rows))


if __name__ == "__main__":
    main()
