"""Times whole commands on the CPU and on the CUDA device, from files to predictions.

    cmake --preset cuda && cmake --build --preset cuda --target stkr_command
    python3 bench/cuda/commands.py --data DIR --program build/cuda/bin/stkr

DIR holds mnist_*.npz and pubmed.npz. Prints a markdown table: MNIST (70,000 digits, ten labels per class) from
the file of pixels to the file of predictions, with fixed options, and the paper's whole grid on PubMed in the
transductive and the inductive setting. Predictions of both devices are compared.
"""

import argparse
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
    """Seconds of a command."""
    start = time.monotonic()
    done = subprocess.run([str(a) for a in arguments], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(" ".join(map(str, arguments)) + "\n" + done.stdout + done.stderr)
    return time.monotonic() - start


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
        for device in arguments.devices:
            def mnist(device=device):
                model, out = folder / f"{device}.stkr.npz", folder / f"{device}.csv"
                return (run(program, "fit", folder / "mnist.npz", "-o", model, "--kernel", "knn",
                            "--transform", "inverse-laplacian", "--device", device, "-q")
                        + run(program, "predict", model, "-o", out, "--device", device, "-q"))
            table("MNIST, file to predictions", device, mnist)
        answers = [np.genfromtxt(folder / f"{d}.csv", delimiter=",", skip_header=1, dtype=str)
                   for d in arguments.devices]
        column = [a[:, 1] if a.ndim > 1 else a for a in answers]
        same = np.mean(column[0] == column[-1])
        right = np.mean(column[0][shown < 0].astype(float) == y[shown < 0])
        print(f"\npredictions equal on both devices: {100 * same:.3f} %; accuracy {100 * right:.2f} %\n")
        print("| what | device | median s | all |\n| --- | --- | --- | --- |")
        for device in arguments.devices:
            table("PubMed, the paper's grid, both settings", device, lambda device=device: run(
                program, "reproduce", "--datasets", "pubmed", "--data", arguments.data, "--seeds", "1",
                "--fresh", "--checkpoint", folder / f"{device}.jsonl", "--device", device, "-q"))


if __name__ == "__main__":
    main()
