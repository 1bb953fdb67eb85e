"""Tables of other packages: Arrow streams and the dataframe protocol, without these packages.

An object with ``__arrow_c_stream__`` (pyarrow, polars, DuckDB, ...) or ``__dataframe__`` is read
column by column. pandas is left to scikit-learn, which knows it.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from . import _core
from ._types import Array


class TableArray(np.ndarray[Any, Any]):
    """Numbers of a table, with its column names where scikit-learn looks for them."""

    columns: list[str]

    def __array_finalize__(self, source: Any) -> None:
        self.columns = getattr(source, "columns", [])

    # scikit-learn >= 1.3 reads the names from it.
    def __dataframe__(self, *args: Any, **kwargs: Any) -> TableArray:
        return self

    def column_names(self) -> list[str]:
        return self.columns


def is_table(values: Any) -> bool:
    """Whether ``values`` is a table or column that only this module can read."""
    if isinstance(values, (np.ndarray, TableArray)) or hasattr(values, "iloc"):  # pandas
        return False
    return hasattr(values, "__arrow_c_stream__") or hasattr(values, "__dataframe__")


def _columns(table: Any) -> list[Any]:
    """Return (name, values, missing) of each column; values are an array or a list of texts."""
    if hasattr(table, "__arrow_c_stream__"):
        return _core.arrow_columns(table.__arrow_c_stream__())
    return _protocol_columns(table.__dataframe__(allow_copy=True))


def table_matrix(table: Any) -> TableArray:
    """Return a table of numbers as an array with column names; missing values are NaN."""
    columns = _columns(table)
    if not columns:
        raise ValueError("X is a table without columns; expected at least one feature")
    for name, values, _ in columns:
        if isinstance(values, list):
            raise ValueError(
                f"X: column {name!r} holds text; expected numbers: encode it, for example with "
                "sklearn.preprocessing.OneHotEncoder, or leave it out"
            )
    single = all(getattr(values, "dtype", None) == np.float32 for _, values, _ in columns)
    X = np.empty((len(columns[0][1]), len(columns)), dtype=np.float32 if single else np.float64)
    for k, (_, values, missing) in enumerate(columns):
        X[:, k] = values
        X[missing, k] = np.nan
    table_array: TableArray = X.view(TableArray)
    table_array.columns = [name for name, _, _ in columns]
    return table_array


def table_labels(table: Any) -> Array:
    """Return labels: one column of any kind with None if missing, or several of numbers."""
    columns = _columns(table)
    if len(columns) > 1:
        return np.asarray(table_matrix(table))
    if not columns:
        raise ValueError("y is a table without columns; expected one, with a label per sample")
    found, missing = columns[0][1:]
    if isinstance(found, list):
        return np.array([None if gone else v for v, gone in zip(found, missing)], dtype=object)
    values: Array = found
    if missing.any():
        values = values.astype(np.float64)
        values[missing] = np.nan
    return values


# The dataframe protocol: https://data-apis.org/dataframe-protocol

_INT, _UINT, _FLOAT, _BOOL, _STRING, _CATEGORICAL = 0, 1, 2, 20, 21, 23
_NON_NULLABLE, _NAN, _SENTINEL, _BITS, _BYTES = range(5)


def _protocol_columns(frame: Any) -> list[Any]:
    parts: list[list[Any]] = [[] for _ in frame.column_names()]
    for chunk in frame.get_chunks():
        for k, name in enumerate(frame.column_names()):
            parts[k].append(_read_column(name, chunk.get_column_by_name(name)))
    columns = []
    for name, chunks in zip(frame.column_names(), parts):
        missing = np.concatenate([gone for _, gone in chunks])
        if isinstance(chunks[0][0], list):
            values = [text for texts, _ in chunks for text in texts]
        else:
            values = np.concatenate([numbers for numbers, _ in chunks])
        columns.append((str(name), values, missing))
    return columns


def _numbers(buffer: Any, dtype: Any, first: int, count: int) -> Array:
    """Copy ``count`` numbers of a buffer, from number ``first`` on."""
    kind, bits = dtype[0], dtype[1]
    if kind == _BOOL and bits == 1:
        octets = _numbers(buffer, (_UINT, 8), 0, (first + count + 7) // 8)
        return np.unpackbits(octets, bitorder="little")[first : first + count].astype(bool)
    letter = {_INT: "i", _UINT: "u", _FLOAT: "f", _BOOL: "b"}[kind]
    number = np.dtype(f"{letter}{bits // 8}")
    if count == 0:
        return np.empty(0, dtype=number)
    raw: Any = (ctypes.c_char * ((first + count) * number.itemsize)).from_address(buffer.ptr)
    copied: Array = np.frombuffer(raw, dtype=number)[first:].copy()
    return copied


def _missing(column: Any, buffers: Any, values: Any, first: int, count: int) -> Array:
    how, mark = column.describe_null
    missing: Array
    if how == _NON_NULLABLE:
        return np.zeros(count, dtype=bool)
    if how == _NAN:
        missing = np.isnan(values) if values.dtype.kind == "f" else np.zeros(count, dtype=bool)
        return missing
    if how == _SENTINEL:
        missing = values == mark
        return missing
    buffer, dtype = buffers["validity"]
    bits = (_BOOL, 1) if how == _BITS else dtype
    missing = _numbers(buffer, bits, first, count).astype(bool) == bool(mark)
    return missing


def _read_column(name: Any, column: Any) -> Any:
    kind = column.dtype[0]
    first, count = column.offset, column.size
    count = count() if callable(count) else count
    buffers = column.get_buffers()
    data, dtype = buffers["data"]
    if kind == _STRING:
        offsets, offset_type = buffers["offsets"]
        places = _numbers(offsets, offset_type, first, count + 1)
        raw = bytes(_numbers(data, (_UINT, 8), 0, int(places[-1]) if count else 0))
        missing = _missing(column, buffers, places, first, count)
        texts = [raw[a:b].decode() for a, b in zip(places[:-1], places[1:])]
        return texts, missing
    if kind == _CATEGORICAL:
        codes = _numbers(data, dtype, first, count)
        missing = _missing(column, buffers, codes, first, count)
        categories = _categories(column)
        texts = ["" if gone else categories[code] for code, gone in zip(codes, missing)]
        if all(isinstance(value, str) for value in texts):
            return texts, missing
        return np.array([np.nan if gone else v for v, gone in zip(texts, missing)], float), missing
    if kind not in (_INT, _UINT, _FLOAT, _BOOL):
        raise TypeError(
            f"column {name!r} has the type {column.dtype[2]!r} of the dataframe protocol; expected "
            "numbers, booleans, text or categories"
        )
    values = _numbers(data, dtype, first, count)
    return values, _missing(column, buffers, values, first, count)


def _categories(column: Any) -> list[Any]:
    found = column.describe_categorical
    categories = found["categories"] if isinstance(found, dict) else found[2]
    if hasattr(categories, "get_buffers"):
        values, _ = _read_column("categories", categories)
    else:  # a mapping of codes
        values = [categories[code] for code in sorted(categories)]
    return list(values if isinstance(values, list) else values.tolist())
