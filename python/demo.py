"""The Python part of `./demo`: digits, ten labels per class, compared with scikit-learn."""

import time
import warnings

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.semi_supervised import LabelSpreading
from sklearn.svm import SVC

from stkr import STKRClassifier, STKRClassifierCV, __version__

X, truth = load_digits(return_X_y=True)
X, X_new, truth, truth_new = train_test_split(
    X, truth, test_size=360, stratify=truth, random_state=0
)
random = np.random.default_rng(0)
labeled = np.concatenate(
    [random.choice(np.flatnonzero(truth == c), 10, replace=False) for c in range(10)]
)
y = np.full(len(truth), -1)
y[labeled] = truth[labeled]
hidden = y < 0

MODELS = {
    "scikit-learn, SVC": SVC(),
    "scikit-learn, LabelSpreading, knn": LabelSpreading("knn"),
    "STKRClassifier()": STKRClassifier(),
    'STKRClassifier("knn")': STKRClassifier("knn"),
    'STKRClassifierCV("knn")': STKRClassifierCV("knn"),
}

print(f"\nThe Python package, stkr {__version__}: digits, ten labels per class\n")
print(f"{'method':33}  seen, unlabeled  new samples      fit")
print(f"{'-' * 33}  ---------------  -----------  -------")
warnings.simplefilter("ignore", RuntimeWarning)  # LabelSpreading, if no label reaches
for name, model in MODELS.items():
    start = time.perf_counter()
    if isinstance(model, SVC):
        model.fit(X[~hidden], y[~hidden])
    else:
        model.fit(X, y)
    seconds = time.perf_counter() - start
    answers = model.predict(X) if isinstance(model, SVC) else model.transduction_
    seen = np.mean(answers[hidden] == truth[hidden])
    new = model.score(X_new, truth_new)
    print(f"{name:33}  {seen:15.1%}  {new:11.1%}  {seconds:5.3f} s")
print("\nNext: docs/tutorial.md")
