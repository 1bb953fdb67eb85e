#!/usr/bin/python3
"""How long standard deviations of new samples take beside their predictions.

    sudo apt-get install python3-scipy python3-sklearn
    scripts/prepare release stkr_python
    PYTHONPATH=build/release/python /usr/bin/python3 bench/variance.py --data DIR

`STKRRegressor` on the first --size samples of `mnist_vae.npz`, 100 of them labeled with the norm of their features,
and --new samples after them. `first`: the first call of `predict(X, return_std=True)`, which prepares what does not
depend on the new samples; `later`: calls after it. `ratio`: the second over `predict(X)`. `error`: root mean square
of the relative difference to exact deviations, on the first 200 new samples. Seconds are medians of five calls.
`processor`: the same ratio of processor seconds, on which other work on the machine has less influence.
"""

import argparse
import pathlib
import statistics
import time

import numpy as np
import stkr
from comparison import seconds


def median_seconds(call, times=5):
    return statistics.median(seconds(call)[0] for _ in range(times))


def processor_seconds(call, times=5):
    found = []
    for _ in range(times):
        start = time.process_time()
        call()
        found.append(time.process_time() - start)
    return statistics.median(found)


def measure(name, model, x, y, new):
    labeled = np.random.RandomState(0).choice(len(x), 100, replace=False)
    fit, model = seconds(lambda: model.fit(x, y[:len(x)], labeled=labeled))
    predict = median_seconds(lambda: model.predict(new))
    first, (_, estimated) = seconds(lambda: model.predict(new, return_std=True))
    later = median_seconds(lambda: model.predict(new, return_std=True))
    processor = (processor_seconds(lambda: model.predict(new, return_std=True))
                 / processor_seconds(lambda: model.predict(new)))
    exact_seconds, (_, exact) = seconds(lambda: model.predict(new[:200], return_std=True))
    error = np.sqrt(np.mean((estimated[:200] / exact - 1) ** 2))
    print(f"| {name} | {len(x)} | {len(new)} | {fit:.2f} | {predict:.3f} | {first:.2f} | {later:.3f} | "
          f"{later / predict:.1f} | {processor:.1f} | {exact_seconds:.2f} | {100 * error:.1f} % |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--size", type=int, default=20000)
    parser.add_argument("--new", type=int, default=1000)
    arguments = parser.parse_args()
    points = np.load(arguments.data / "mnist_vae.npz")["X"].astype(float)
    x, new = points[:arguments.size], points[arguments.size:arguments.size + arguments.new]
    y = np.linalg.norm(points, axis=1)
    print("| kernel | N | new | fit | predict | first | later | ratio | processor | exact, 200 | error |")
    print("| --- |" + " ---: |" * 10)
    measure("neighbor graph, inverse Laplacian", stkr.STKRRegressor("knn", eta=0.99, ridge=0.1), x, y, new)
    measure("RBF, power 2", stkr.STKRRegressor("rbf", power=2, ridge=0.1), x, y, new)
    measure("chosen", stkr.STKRRegressor(), x, y, new)


if __name__ == "__main__":
    main()
