"""Writes the pandas_* files of this folder into the current folder."""

import numpy as np
import pandas as pd

data = pd.DataFrame(
    {
        "length": [5.1, 4.9, 6.3, 5.8, 7.1, 6.5],
        "width": [3.5, 3.0, 3.3, 2.7, 3.0, 2.8],
        "color": ["red", "blue", "red", "green", "blue", "red"],
        "grown": [True, False, True, True, False, True],
        "class": ["a", None, "b", None, None, "a"],
    }
)
names = ["p7", "p3", "p9", "p1", "p4", "p2"]
data.to_csv("pandas_index.csv")
data.to_csv("pandas_na_rep.csv", index=False, na_rep="NA")
data.to_csv("pandas_nan.tsv", index=False, sep="\t", na_rep="nan")
data.set_index(pd.Index(names, name="patient")).to_csv("pandas_named_index.csv")
data.set_index(pd.Index(names)).to_csv("pandas_text_index.csv")
data.assign(**{"class": [0, None, 1, None, None, 0]}).to_csv("pandas_float_classes.csv", index=False)
data.astype({"color": "category"}).to_csv(
    "pandas_category_crlf.csv", index=False, lineterminator="\r\n", encoding="utf-8-sig"
)
marked = data[["length", "width"]].assign(**{"class": ["?", "a", "b", "?", "a", "b"]})
marked.to_csv("question_marks.csv", index=False)
nullable = pd.DataFrame(
    {
        "x": [0.5, 1.5, 2.5, 3.5],
        "n": pd.array([1, None, 3, 4], dtype="Int64"),
        "flag": pd.array([True, None, False, True], dtype="boolean"),
        "y": pd.array([0, 1, None, 1], dtype="Int64"),
    }
)
nullable.to_csv("pandas_nullable.csv", index=False, na_rep="<NA>")
numbers = pd.DataFrame(np.array([[5.1, 3.5, 0], [4.9, 3.0, 1], [6.3, 3.3, 0]]))
numbers.to_csv("pandas_no_columns.csv", index=False, header=False)
