#!/usr/bin/python3
"""Whether a preference for the linear kernel, or an average over kernels, would help `STKRRegressor()`.

    sudo apt-get install python3-sklearn
    scripts/prepare release stkr_python
    PYTHONPATH=build/release/python /usr/bin/python3 bench/regression_kernels.py --draws 20

Sets as in regression.py and columns of scikit-learn's data as targets, 5 % labels. Each kernel that the choice tries
is also fitted alone. Prints the mean R² of the unlabeled samples by kernel, with how often it was chosen, and that of
the choice if the scores of linear kernels were larger by some nats, and of averages of all kernels' predictions with
weights exp(score/t).
"""

import argparse
import warnings

import numpy as np
import stkr
from regression import SETS, SHARE
from sklearn.datasets import load_breast_cancer, load_wine, make_regression
from sklearn.metrics import r2_score

PREFERENCES = (0.0, 0.5, 1.0, 2.0, 3.0)
TEMPERATURES = (1.0, 2.0, 4.0)


def column(load, index):
    x = load().data
    return np.delete(x, index, axis=1), x[:, index]


ALL = {"diabetes": SETS["diabetes"],
       "friedman1": SETS["friedman1"],
       "swiss roll": SETS["swiss roll"],
       "linear": lambda: make_regression(1000, 20, n_informative=6, noise=60.0, random_state=0),
       "wine, alcohol": lambda: column(load_wine, 0),
       "wine, color": lambda: column(load_wine, 9),
       "breast cancer, texture": lambda: column(load_breast_cancer, 1),
       "breast cancer, smoothness": lambda: column(load_breast_cancer, 4)}


def options_of(kernel):
    """The options of a kernel by its name in the choice."""
    if kernel.startswith("knn"):
        return {"kernel": "knn"}
    unscaled = {"kernel_params": {"normalize": False}}
    if kernel.startswith("linear"):
        return {"kernel": "linear", **unscaled}
    return {"kernel": "rbf", "length_scale": kernel.split()[1], **unscaled}


def one_draw(x, y, seed):
    """Kernel, score, R² and predictions of each kernel, the chosen one first; and the targets to predict."""
    labeled = np.sort(np.random.default_rng(seed).choice(len(y), round(SHARE * len(y)), replace=False))
    targets = np.full(len(y), np.nan)
    targets[labeled] = (y[labeled] - y[labeled].mean()) / y[labeled].std()
    truth = (y - y[labeled].mean()) / y[labeled].std()
    rest = np.setdiff1d(np.arange(len(y)), labeled)

    def fit(**options):
        return stkr.STKRRegressor(**options).fit(x, targets, labeled=labeled)

    draw = []
    for kernel, score, *_ in fit().summary_.tried:
        if score is not None:
            predicted = fit(**options_of(kernel)).transduction_[rest].ravel()
            draw.append((kernel, score, r2_score(truth[rest], predicted), predicted))
    return draw, truth[rest]


def averaged(draw, truth, temperature):
    scores = np.array([one[1] for one in draw])
    weights = np.exp((scores - scores.max()) / temperature)
    return r2_score(truth, weights @ np.stack([one[3] for one in draw]) / weights.sum())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--sets", nargs="+", default=list(ALL), choices=list(ALL))
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    for name in arguments.sets:
        x, y = ALL[name]()
        x = (x - x.mean(axis=0)) / x.std(axis=0)
        found = [one_draw(x, y, seed) for seed in range(arguments.draws)]
        draws = [draw for draw, _ in found]
        print(name)
        for kernel in sorted({kernel for draw in draws for kernel, *_ in draw}):
            alone = [r2 for draw in draws for name_of, _, r2, _ in draw if name_of == kernel]
            chosen = sum(draw[0][0] == kernel for draw in draws)
            print(f"  {kernel}: {np.mean(alone):.3f}, chosen {chosen} times")
        for nats in PREFERENCES:
            best = [max(draw, key=lambda one: one[1] + nats * one[0].startswith("linear"))[2] for draw in draws]
            print(f"  linear + {nats:g}: {np.mean(best):.3f}")
        for temperature in TEMPERATURES:
            average = np.mean([averaged(draw, truth, temperature) for draw, truth in found])
            print(f"  average, t = {temperature:g}: {average:.3f}", flush=True)


if __name__ == "__main__":
    main()
