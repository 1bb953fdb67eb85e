"""Annotations: the package passes mypy in strict mode, and users' programs are checked."""

import os
import shutil
import subprocess

from pathlib import Path

import pytest

import stkr

PACKAGE = Path(stkr.__file__).parent
# scikit-learn, SciPy and pandas have no annotations, so their classes and decorators are Any.
OPTIONS = ["--strict", "--ignore-missing-imports", "--allow-subclassing-any",
           "--allow-untyped-decorators"]
pytestmark = [
    pytest.mark.skipif(
        shutil.which("mypy") is None, reason="mypy is not installed (scripts/prepare, STKR_TOOLS)"
    ),
    pytest.mark.skipif("STKR_SANITIZE" in os.environ, reason="runs no code of stkr"),
]

PROGRAM = '''
import numpy as np
import stkr
from stkr.metrics import LabeledKFold

clf = stkr.STKRClassifier("knn", n_neighbors=5)
X = np.zeros((4, 2))
reveal_type(clf.fit(X, [0, -1, 1, -1]))
reveal_type(clf.predict(X))
reveal_type(stkr.load("model.npz"))
reveal_type(stkr.STKRClassifierCV(cv=LabeledKFold(3)).fit(X, [0, 1, 0, 1]))
'''
WRONG = '''
import stkr

stkr.STKRClassifier(n_neighbors="ten")
stkr.STKRRegressor(ridge="small")
stkr.LabelSpreading(eta="large")
stkr.STKRClassifier(neighbors=3)
'''


def mypy(*arguments):
    environment = {**os.environ, "MYPYPATH": str(PACKAGE.parent)}
    run = subprocess.run(
        ["mypy", "--cache-dir", os.devnull, *arguments],
        env=environment, capture_output=True, text=True,
    )  # fmt: skip
    return run.returncode, run.stdout + run.stderr


def test_the_package_in_strict_mode():
    code, text = mypy(*OPTIONS, str(PACKAGE))
    assert code == 0, text


def test_what_programs_see(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    code, text = mypy("--ignore-missing-imports", str(path))
    revealed = [line.split('"')[1] for line in text.splitlines() if "Revealed type" in line]
    assert code == 0, text
    assert revealed[0] == "stkr.classification.STKRClassifier"
    assert revealed[1].startswith("numpy.ndarray[")
    assert "ClassifierModel" in revealed[2] and "RegressorModel" in revealed[2]
    assert revealed[3] == "stkr.selection.STKRClassifierCV"


def test_wrong_programs_are_refused(tmp_path):
    path = tmp_path / "wrong.py"
    path.write_text(WRONG)
    code, text = mypy("--ignore-missing-imports", str(path))
    lines = [int(line.split(":")[1]) for line in text.splitlines() if ": error:" in line]
    assert code == 1 and lines == [4, 5, 6, 7], text
