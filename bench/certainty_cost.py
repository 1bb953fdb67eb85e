#!/usr/bin/python3
"""What each answer about certainty costs, as a share of the fit.

    sudo apt-get install python3-scipy python3-sklearn
    scripts/prepare release stkr_python
    PYTHONPATH=build/release/python /usr/bin/python3 bench/certainty_cost.py --data DIR

`STKRClassifier()` on random labels as in certainty.py; the numbers are the logarithm of a sample's degree on graphs
and the norm of its features else, by `STKRRegressor()`. CPU seconds of the fit, and the CPU time of every answer in
percent of the fit: processor time, so that other work on the machine counts little. Medians of --repetitions fits.
"""

import argparse
import pathlib
import statistics
import time

import numpy as np
import scipy.sparse
import stkr
from certainty import fit, load

ANSWERS = {
    "probabilities, all": lambda model: model.label_distributions_,
    "sets, all": lambda model: model.predict_set(coverage=0.9),
    "contributions, one": lambda model: model.contributions(0),
    "suggest(5)": lambda model: model.suggest(5),
}
NUMBER_ANSWERS = {
    "deviations, all": lambda model: model.transduction_std_,
    "jackknife+, all": lambda model: model.predict_interval(coverage=0.9),
}


def processor_seconds(function):
    start = time.process_time()
    result = function()
    return time.process_time() - start, result


def measure(fit_once, answers, repetitions):
    fits, shares = [], {name: [] for name in answers}
    for _ in range(repetitions):
        elapsed, model = processor_seconds(fit_once)
        fits.append(elapsed)
        for name, answer in answers.items():
            shares[name].append(100 * processor_seconds(lambda: answer(model))[0] / elapsed)
    return [f"{statistics.median(fits):.2f}"] + [f"{statistics.median(v):.3g}" for v in shares.values()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--sets", nargs="+", default=["digits", "cora", "photo", "ssl_digit1", "g50c"])
    arguments = parser.parse_args()
    print("| set | N | fit | " + " | ".join(ANSWERS) + " | fit, numbers | " + " | ".join(NUMBER_ANSWERS) + " |")
    print("| --- |" + " ---: |" * (3 + len(ANSWERS) + len(NUMBER_ANSWERS)))
    for name in arguments.sets:
        x, y, labels = load(name, arguments.data)
        y = np.unique(y, return_inverse=True)[1]
        labeled = np.random.RandomState(0).choice(len(y), labels, replace=False)
        cells = measure(lambda: fit(x, y, labeled), ANSWERS, arguments.repetitions)
        if scipy.sparse.issparse(x):
            numbers = np.log1p(np.asarray(x.sum(axis=1)).ravel())
            regressor = stkr.STKRRegressor("graph")
        else:
            numbers, regressor = np.linalg.norm(x, axis=1), stkr.STKRRegressor()
        cells += measure(lambda: regressor.fit(x, numbers, labeled=labeled), NUMBER_ANSWERS,
                         arguments.repetitions)
        print(f"| {name} | {len(y)} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
