#!/usr/bin/python3
"""Writes the sparse files of this folder with the tools that users have: scikit-learn and SciPy.

Usage: tests/files/make_words.py      recreates them next to this script

Six short texts as TF-IDF rows, three of them labeled: words.svmlight with features counted from 0, which is
scikit-learn's default, words_one.svmlight from 1, and words.npz as scipy.sparse.save_npz writes it.
"""
import pathlib

import numpy as np
import scipy.sparse
from sklearn.datasets import dump_svmlight_file
from sklearn.feature_extraction.text import TfidfVectorizer

FOLDER = pathlib.Path(__file__).parent
TEXTS = ["the ship sails at dawn", "wind fills the sail of a ship", "bake the bread at dawn",
         "salt and flour make bread", "flour in the oven", "the wind turns the sail"]
X = TfidfVectorizer().fit_transform(TEXTS)
y = np.array([1, -1, 2, 2, -1, -1])

dump_svmlight_file(X, y, str(FOLDER / "words.svmlight"), comment="six short texts")
dump_svmlight_file(X, y, str(FOLDER / "words_one.svmlight"), zero_based=False)
scipy.sparse.save_npz(FOLDER / "words.npz", X.tocsr())
np.savetxt(FOLDER / "words.labels.txt", y, fmt="%d")
