"""Commands that overwrite existing files, and the invariants of their outputs."""
import hashlib
import pathlib
import re
import shutil
import subprocess

# name: arguments, files written
CASES = {
    "fit points": (["fit", "moons.csv", "-o", "out.npz"], ["out.npz"]),
    "fit graph": (["fit", "graph.npz", "-o", "out.npz"], ["out.npz"]),
    "fit labels": (["fit", "moons.npy", "--labels", "moons.labels.txt", "-o", "out.npz"],
                   ["out.npz"]),
    "select": (["select", "moons.csv", "--folds", "3", "--powers", "1,2", "--etas", "0.9",
                "--dimensions", "2", "-o", "out.npz"], ["out.npz"]),
    "graph": (["graph", "moons.csv", "-o", "out.npz", "--neighbors", "5"], ["out.npz"]),
    "predict known": (["predict", "model.npz", "-o", "out.csv"], ["out.csv"]),
    "predict new": (["predict", "model.npz", "new.csv", "-o", "out.csv"], ["out.csv"]),
    "predict edges": (["predict", "gmodel.npz", "new.tsv", "-o", "out.csv"], ["out.csv"]),
    "predict uncertainty": (["predict", "model.npz", "-o", "out.csv", "--uncertainty", "--explain", "3"],
                            ["out.csv"]),
    "suggest": (["suggest", "model.npz", "-n", "3", "-o", "out.csv"], ["out.csv"]),
    "convert npz": (["data", "convert", "moons.csv", "out.npz"], ["out.npz"]),
    "convert mtx": (["data", "convert", "graph.npz", "out.mtx"], ["out.mtx", "out.labels.txt"]),
    "convert svmlight": (["data", "convert", "moons.csv", "out.svmlight"], ["out.svmlight"]),
    "reproduce": (["reproduce", "--data", "data", "--seeds", "2", "--methods", "LP,KRR",
                   "--checkpoint", "cells.jsonl", "--html", "page.html"],
                  ["cells.jsonl", "page.html"]),
}
EXIT_CODES = {0, 1, 2, 3, 4, 5, 130}  # as documented in stkr --help


def make_inputs(stkr, folder):
    """Create small data, models, and an older version of every output file."""
    def make(*arguments):
        subprocess.run([stkr, *arguments], cwd=folder, check=True, capture_output=True)
    make("data", "make", "two-moons", "-o", "moons.csv", "--samples", "80", "--per-class", "4")
    make("data", "make", "two-moons", "-o", "new.csv", "--samples", "60", "--seed", "2")
    make("data", "convert", "moons.csv", "moons.npy")
    make("data", "make", "block-model", "-o", "graph.npz", "--blocks", "20,20", "--p-in", "0.4",
         "--p-out", "0.05", "--per-class", "4")
    (folder / "new.tsv").write_text("".join(f"{i}\t{7 * i % 40}\n" for i in range(30)))
    make("fit", "moons.csv", "-o", "model.npz")
    make("fit", "graph.npz", "-o", "gmodel.npz")
    (folder / "data").mkdir()
    make("data", "make", "block-model", "-o", "data/dblp.npz", "--blocks", "60,60,60,60",
         "--p-in", "0.06", "--p-out", "0.01")
    make("fit", "moons.csv", "-o", "out.npz", "--ridge", "3")
    make("predict", "out.npz", "-o", "out.csv")
    for name in ("out.mtx", "out.svmlight", "page.html"):
        (folder / name).write_text(f"an older {name}\n")
    # One of two results is already stored.
    make("reproduce", "--data", "data", "--seeds", "1", "--methods", "LP", "--checkpoint",
         "cells.jsonl")


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None


def numbers(text):
    """The output of reproduce without the times, which are in the last column and the last line."""
    return [re.sub(r" +[0-9.]+$", "", line) for line in text.splitlines()
            if line and "experiment" not in line]


class Reference:
    """A folder with inputs, and the outputs of each case without faults."""

    def __init__(self, stkr, work):
        self.stkr = stkr
        self.work = pathlib.Path(work)
        self.inputs = self.work / "inputs"
        self.inputs.mkdir()
        make_inputs(stkr, self.inputs)
        self.names = {p.name for p in self.inputs.iterdir()}
        self.names.update(name for _, outputs in CASES.values() for name in outputs)
        self.after = {}
        self.printed = {}
        for case, (arguments, outputs) in CASES.items():
            folder = self.fresh()
            done = subprocess.run([stkr, *arguments], cwd=folder, capture_output=True, text=True,
                                  check=True)
            self.after[case] = {name: digest(folder / name) for name in outputs}
            self.printed[case] = numbers(done.stdout)

    def fresh(self):
        folder = self.work / "run"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.inputs, folder)
        return folder

    def outputs(self, case, folder, finished):
        """Return problems of a case's output files: each must be complete, either the old or the
        new version. If `finished`, it must be the new one."""
        problems = []
        for name in CASES[case][1]:
            if name == "cells.jsonl":
                before = (self.inputs / name).read_bytes()
                if not (folder / name).read_bytes().startswith(before):
                    problems.append(f"{name} lost results")
                continue
            if name == "page.html":  # contains times
                text = (folder / name).read_text()
                if not text.startswith("an older") and "</html>" not in text:
                    problems.append(f"{name} is not whole")
                continue
            now = digest(folder / name)
            if now == self.after[case][name]:
                continue
            if now != digest(self.inputs / name):
                problems.append(f"{name} is neither the old nor the new one")
            elif finished:
                problems.append(f"{name} is the old one, but the exit code is 0")
        return problems

    def left_behind(self, folder):
        return [p.name for p in folder.iterdir() if p.name not in self.names]

    def resumes(self, folder):
        """Return whether reproduce resumes from its checkpoint with the same results."""
        done = subprocess.run([self.stkr, *CASES["reproduce"][0]], cwd=folder, text=True,
                              capture_output=True)
        return done.returncode == 0 and numbers(done.stdout) == self.printed["reproduce"]
