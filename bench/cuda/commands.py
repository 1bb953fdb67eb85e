"""Times whole commands on the CPU and on the CUDA device, from files to predictions.

    cmake --preset cuda && cmake --build --preset cuda --target stkr_command
    python3 bench/cuda/commands.py --data DIR --program build/cuda/bin/stkr

DIR holds mnist_*.npz and pubmed.npz. Prints a markdown table: MNIST (70,000 digits, ten labels per class) from
the file of pixels to the file of predictions, with fixed options, and the paper's whole grid on PubMed in the
transductive and the inductive setting, by the command that bench/grid.py times: the whole command, and its own
seconds without start-up and reading, by family. Predictions and scores of the devices are compared.
"""

import argparse
import collections
import json
import pathlib
import statistics
import subprocess
import tempfile
import time

import numpy as np


def load_mnist(folder):
    """Pixels and labels of all digits, the training set first."""
    parts = [np.load(folder / f"mnist_train_{k}of3.npz") for k in (1, 2, 3)]
    parts.append(np.load(folder / "mnist_test.npz"))
    names = parts[0].files
    pixels = next(n for n in names if parts[0][n].ndim >= 2)
    labels = next(n for n in names if parts[0][n].ndim == 1)
    x = np.concatenate([p[pixels].reshape(len(p[labels]), -1) for p in parts]).astype(np.float32) / 255
    return x, np.concatenate([p[labels] for p in parts]).astype(np.int64)


def run(*arguments):
    """Seconds of a command, and what it printed."""
    start = time.monotonic()
    done = subprocess.run([str(a) for a in arguments], capture_output=True, text=True)
    if done.returncode not in (0, 4):  # 4: some solves of a grid did not converge
        raise SystemExit(" ".join(map(str, arguments)) + "\n" + done.stdout + done.stderr)
    return time.monotonic() - start, done.stdout


def write_split(path, labels):
    """The split of bench/grid.py for PubMed, seed 0."""
    sizes = [20 * (int(labels.max()) + 1), 500, (labels.size + 50) // 100]
    parts = np.split(np.random.default_rng(0).permutation(labels.size), np.cumsum(sizes))
    np.savez(path, **{n: np.sort(part) for n, part in zip(("train", "val", "test", "other"), parts)})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--program", type=pathlib.Path, default=pathlib.Path("build/cuda/bin/stkr"))
    parser.add_argument("--devices", nargs="+", default=["cuda", "cpu"])
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    program = arguments.program.resolve()
    print("| what | device | median s | all |\n| --- | --- | --- | --- |")

    def table(what, device, seconds):
        values = [seconds() for _ in range(arguments.repeats)]
        print(f"| {what} | {device} | {statistics.median(values):.2f} |"
              f" {' '.join(f'{v:.2f}' for v in values)} |", flush=True)

    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        x, y = load_mnist(arguments.data)
        rng = np.random.default_rng(0)
        shown = np.full(len(y), -1)
        for c in range(10):
            chosen = rng.choice(np.flatnonzero(y == c), 10, replace=False)
            shown[chosen] = c
        np.savez(folder / "mnist.npz", X=x, y=shown)
        parts = collections.defaultdict(list)
        for device in arguments.devices:
            def mnist(device=device):
                model, out = folder / f"{device}.stkr.npz", folder / f"{device}.csv"
                fit = run(program, "fit", folder / "mnist.npz", "-o", model, "--kernel", "knn",
                          "--transform", "inverse-laplacian", "--device", device, "-q")[0]
                predict = run(program, "predict", model, "-o", out, "--device", device, "-q")[0]
                parts[device].append((fit, predict))
                return fit + predict
            table("MNIST, file to predictions", device, mnist)
        answers = [np.genfromtxt(folder / f"{d}.csv", delimiter=",", skip_header=1, dtype=str)
                   for d in arguments.devices]
        column = [a[:, 1] if a.ndim > 1 else a for a in answers]
        same = np.mean(column[0] == column[-1])
        right = np.mean(column[0][shown < 0].astype(float) == y[shown < 0])
        print(f"\npredictions equal on both devices: {100 * same:.3f} %; accuracy {100 * right:.2f} %\n")
        for device, seconds in parts.items():
            fit, predict = (statistics.median(column) for column in zip(*seconds))
            print(f"{device}: fit {fit:.2f} s, predict {predict:.2f} s")
        print("\n| what | device | median s | all |\n| --- | --- | --- | --- |")
        pubmed = arguments.data / "pubmed.npz"
        with np.load(pubmed) as graph:
            write_split(folder / "split.npz", graph["labels"])
        betas = ",".join(f"1e{k}" for k in range(3, -9, -1))
        documents = collections.defaultdict(list)
        for device in arguments.devices:
            def grid(device=device):
                seconds, text = run(program, "select", pubmed, "--split", folder / "split.npz", "--kernel",
                                    "symmetric", "--json", "--literal-top-d", "--betas", betas, "--device", device)
                documents[device].append(json.loads(text))
                return seconds
            table("PubMed, the paper's grid, both settings", device, grid)
        for device, runs in documents.items():
            own = statistics.median(document["seconds"] for document in runs)
            families = collections.Counter()
            for setting in runs[-1]["settings"]:
                for cost in setting["costs"]:
                    families[cost["family"]] += cost["seconds"]
            print(f"\n{device}: {own:.2f} s without start-up and reading, of the last run"
                  f" {', '.join(f'{name} {s:.2f}' for name, s in families.items())}")
        names = ("setting", "family", "param", "beta", "iterations")
        scores = [{tuple(p.get(k) for k in names): (p["val"], p["test"]) for p in documents[d][-1]["points"]}
                  for d in arguments.devices]
        equal = sum(scores[0][key] == scores[-1].get(key) for key in scores[0])
        print(f"\nscores equal on both devices: {equal} of {len(scores[0])}")


if __name__ == "__main__":
    main()
