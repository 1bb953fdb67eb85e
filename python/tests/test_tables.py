"""Arrow streams and the dataframe protocol as X and y, without pyarrow."""

import ctypes

import numpy as np
import pandas as pd
import pytest

import stkr
from stkr._tables import table_labels, table_matrix

# A producer of Arrow streams: the structures of the C data interface, filled with ctypes.


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


class Stream(ctypes.Structure):
    pass


_release_schema = ctypes.CFUNCTYPE(None, ctypes.POINTER(Schema))
_release_array = ctypes.CFUNCTYPE(None, ctypes.POINTER(Array))
_release_stream = ctypes.CFUNCTYPE(None, ctypes.POINTER(Stream))
Schema._fields_ = [
    ("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64), ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(Schema))), ("dictionary", ctypes.POINTER(Schema)),
    ("release", _release_schema), ("private_data", ctypes.c_void_p),
]
Array._fields_ = [
    ("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64), ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(Array))), ("dictionary", ctypes.POINTER(Array)),
    ("release", _release_array), ("private_data", ctypes.c_void_p),
]
_get_schema = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Schema))
_get_next = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Array))
_get_error = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(Stream))
Stream._fields_ = [
    ("get_schema", _get_schema), ("get_next", _get_next), ("get_last_error", _get_error),
    ("release", _release_stream), ("private_data", ctypes.c_void_p),
]


class Column:
    """Buffers of one Arrow array: bytes, with the array's first value at ``offset``."""

    def __init__(self, name, fmt, values, buffers, valid=None, offset=0, dictionary=None):
        self.name, self.format, self.length = name, fmt, len(values)
        self.offset, self.dictionary = offset, dictionary
        mask = None
        if valid is not None:
            bits = np.concatenate([np.ones(offset, bool), np.asarray(valid, bool)])
            mask = np.packbits(bits, bitorder="little").tobytes()
        self.nulls = 0 if valid is None else int(np.sum(~np.asarray(valid, bool)))
        self.buffers = [mask, *buffers]


def numbers(name, fmt, values, dtype, valid=None, offset=0):
    stored = np.concatenate([np.zeros(offset), np.nan_to_num(np.array(values, float))])
    return Column(name, fmt, values, [stored.astype(dtype).tobytes()], valid, offset)


def booleans(name, values, valid=None):
    bits = np.packbits(np.asarray(values, bool), bitorder="little").tobytes()
    return Column(name, "b", values, [bits], valid)


def texts(name, values, large=False, valid=None):
    raw = [value.encode() for value in values]
    places = np.cumsum([0, *map(len, raw)]).astype(np.int64 if large else np.int32)
    return Column(name, "U" if large else "u", values, [places.tobytes(), b"".join(raw)], valid)


def views(name, values):
    """A column of string views: short texts inside, long ones in a buffer."""
    data, rows = b"", b""
    for value in values:
        raw = value.encode()
        if len(raw) <= 12:
            rows += np.int32(len(raw)).tobytes() + raw.ljust(12, b"\0")
        else:
            rows += np.int32(len(raw)).tobytes() + raw[:4]
            rows += np.array([0, len(data)], np.int32).tobytes()
            data += raw
    return Column(name, "vu", values, [rows, data, np.int64(len(data)).tobytes()])


def categories(name, codes, values, valid=None):
    column = numbers(name, "c", codes, np.int8, valid)
    column.dictionary = texts("", values)
    return column


class ArrowTable:
    """A table of batches, each a list of columns; or a single column if ``table`` is false."""

    def __init__(self, *batches, table=True, fails=0):
        self.batches, self.table, self.fails = batches, table, fails
        self.kept = []
        self.released = 0

    def _keep(self, value):
        self.kept.append(value)
        return value

    def _fill_schema(self, schema, column):
        schema.format, schema.name = column.format.encode(), column.name.encode()
        schema.release = self._release(_release_schema)
        if column.dictionary is not None:
            inner = self._keep(Schema())
            self._fill_schema(inner, column.dictionary)
            schema.dictionary = ctypes.pointer(inner)

    def _fill_array(self, array, column):
        array.length, array.null_count, array.offset = column.length, column.nulls, column.offset
        pointers = (ctypes.c_void_p * len(column.buffers))()
        for k, raw in enumerate(column.buffers):
            if raw is not None:
                buffer = self._keep(ctypes.create_string_buffer(raw, max(len(raw), 1)))
                pointers[k] = ctypes.addressof(buffer)
        array.n_buffers, array.buffers = len(column.buffers), self._keep(pointers)
        array.release = self._release(_release_array)
        if column.dictionary is not None:
            inner = self._keep(Array())
            self._fill_array(inner, column.dictionary)
            array.dictionary = ctypes.pointer(inner)

    def _release(self, kind):
        def release(structure):
            self.released += 1
            structure.contents.release = kind()
        return self._keep(kind(release))

    def _children(self, parent, kind, fill, columns):
        items = [self._keep(kind()) for _ in columns]
        for item, column in zip(items, columns):
            fill(item, column)
        pointers = (ctypes.POINTER(kind) * len(items))(*map(ctypes.pointer, items))
        parent.n_children, parent.children = len(items), self._keep(pointers)

    def __arrow_c_stream__(self, requested_schema=None):
        left = list(self.batches)

        def get_schema(_, out):
            if self.table:
                out.contents.format = b"+s"
                out.contents.release = self._release(_release_schema)
                self._children(out.contents, Schema, self._fill_schema, self.batches[0])
            else:
                self._fill_schema(out.contents, self.batches[0][0])
            return 0

        def get_next(_, out):
            if self.fails:
                return self.fails
            if not left:
                out.contents.release = _release_array()
                return 0
            batch = left.pop(0)
            if self.table:
                out.contents.length = batch[0].length
                out.contents.n_buffers = 0
                out.contents.release = self._release(_release_array)
                self._children(out.contents, Array, self._fill_array, batch)
            else:
                self._fill_array(out.contents, batch[0])
            return 0

        stream = self._keep(Stream())
        stream.get_schema = self._keep(_get_schema(get_schema))
        stream.get_next = self._keep(_get_next(get_next))
        reason = self._keep(ctypes.create_string_buffer(b"the disk is gone"))
        stream.get_last_error = self._keep(_get_error(lambda _: ctypes.addressof(reason)))
        stream.release = self._release(_release_stream)
        make = ctypes.pythonapi.PyCapsule_New
        make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p,
                                                         ctypes.c_void_p]
        return make(ctypes.addressof(stream), b"arrow_array_stream", None)


class Protocol:
    """Only ``__dataframe__`` of a pandas object."""

    def __init__(self, frame):
        self.frame = frame

    def __dataframe__(self, nan_as_null=False, allow_copy=True):
        return self.frame.__dataframe__(nan_as_null, allow_copy)


INTEGERS = {"c": np.int8, "C": np.uint8, "s": np.int16, "S": np.uint16, "i": np.int32,
            "I": np.uint32, "l": np.int64, "L": np.uint64}


@pytest.mark.parametrize("fmt", [*INTEGERS, "e", "f", "g"])
def test_every_type_of_number_is_read(fmt):
    dtype = INTEGERS.get(fmt) or {"e": np.float16, "f": np.float32, "g": np.float64}[fmt]
    values = [3, 0, 100] if fmt in INTEGERS else [0.5, -2.0, 1e-3]
    X = table_matrix(ArrowTable([numbers("a", fmt, values, dtype)]))
    np.testing.assert_array_equal(X[:, 0], np.array(values, dtype).astype(float))


def test_batches_offsets_and_nulls_are_respected():
    first = [numbers("a", "g", [1.5, 2.5], "f8"), booleans("b", [True, False])]
    second = [numbers("a", "g", [3.5, 0.0, 4.5], "f8", valid=[1, 0, 1], offset=5),
              booleans("b", [True, True, False])]
    table = ArrowTable(first, second)
    X = table_matrix(table)
    assert X.columns == ["a", "b"]
    np.testing.assert_array_equal(
        X, [[1.5, 1], [2.5, 0], [3.5, 1], [np.nan, 1], [4.5, 0]])
    # The stream, the schema and both batches are released once each.
    assert table.released == 4


@pytest.mark.parametrize("column", [
    texts("y", ["a", "", "b", "ü"], valid=[1, 0, 1, 1]),
    texts("y", ["a", "", "b", "ü"], large=True, valid=[1, 0, 1, 1]),
    categories("y", [1, 0, 2, 0], ["ü", "a", "b"], valid=[1, 0, 1, 1]),
])
def test_texts_and_dictionaries_are_labels(column):
    for table in (True, False):
        y = table_labels(ArrowTable([column], table=table))
        assert y.tolist() == ["a", None, "b", "ü"]


def test_string_views_are_texts():
    values = ["short", "a text of more than twelve bytes", "", "another one that is long"]
    assert table_labels(ArrowTable([views("y", values)])).tolist() == values


def test_numbers_are_labels_with_their_type():
    whole = table_labels(ArrowTable([numbers("y", "l", [2**60 + 1, 0], np.int64)]))
    assert whole.dtype == np.int64
    gaps = table_labels(ArrowTable([numbers("y", "i", [1, 0, 2], np.int32, valid=[1, 0, 1])]))
    np.testing.assert_array_equal(gaps, [1, np.nan, 2])
    two = table_labels(ArrowTable([numbers("p", "g", [1.5, 2], "f8"), numbers("q", "f", [3, 4], "f4")]))
    np.testing.assert_array_equal(two, [[1.5, 3], [2, 4]])
    assert table_labels(ArrowTable([booleans("y", [True, False])])).dtype == bool


def test_estimators_take_arrow_tables():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2)) + 4 * (np.arange(40) % 2)[:, np.newaxis]
    labels = ["odd" if k % 2 else "even" for k in range(40)]
    known = np.arange(40) < 10
    table = ArrowTable([numbers("u", "g", X[:, 0], "f8"), numbers("v", "g", X[:, 1], "f8")])
    y = ArrowTable([texts("y", labels, valid=known)], table=False)
    clf = stkr.STKRClassifier("rbf").fit(table, y)
    expected = stkr.STKRClassifier("rbf").fit(
        pd.DataFrame(X, columns=["u", "v"]), [c if k else None for c, k in zip(labels, known)])
    assert list(clf.feature_names_in_) == ["u", "v"]
    np.testing.assert_array_equal(clf.transduction_, expected.transduction_)
    fresh = ArrowTable([numbers("u", "g", [0.0, 4.0], "f8"), numbers("v", "g", [0.0, 4.0], "f8")])
    assert clf.predict(fresh).tolist() == ["even", "odd"]
    swapped = ArrowTable([numbers("v", "g", [0.0], "f8"), numbers("u", "g", [0.0], "f8")])
    with pytest.raises(ValueError, match="feature names"):
        clf.predict(swapped)


def test_text_among_the_features_and_other_types_are_refused():
    with pytest.raises(ValueError, match="column 'city' holds text.*OneHotEncoder"):
        table_matrix(ArrowTable([texts("city", ["Rome"])]))
    with pytest.raises(TypeError, match="column 'when' has the Arrow type 'tdD'"):
        table_matrix(ArrowTable([numbers("when", "tdD", [1], np.int32)]))
    with pytest.raises(RuntimeError, match="code 5: the disk is gone"):
        table_matrix(ArrowTable([numbers("a", "g", [1.0], "f8")], fails=5))
    with pytest.raises(ValueError, match="X\\[1, 0\\] is nan"):
        stkr.STKRClassifier().fit(
            ArrowTable([numbers("a", "g", [1.0, 0.0], "f8", valid=[1, 0])]), [0, 1])


def test_dataframe_protocol_is_read_like_pandas():
    frame = pd.DataFrame({"a": [1.5, np.nan, 3.0], "b": [1, 2, 3], "c": [True, False, True]})
    X = table_matrix(Protocol(frame))
    np.testing.assert_array_equal(X, frame.to_numpy(dtype=float))
    assert X.columns == ["a", "b", "c"]
    y = pd.DataFrame({"y": pd.Categorical(["t", None, "b"])})
    assert table_labels(Protocol(y)).tolist() == ["t", None, "b"]
    assert table_labels(Protocol(pd.DataFrame({"y": ["ü", "x", "ü"]}))).tolist() == ["ü", "x", "ü"]
    with pytest.raises(ValueError, match="column 'y' holds text"):
        table_matrix(Protocol(y))


def test_estimators_take_the_dataframe_protocol():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.normal(size=(30, 2)), columns=["u", "v"])
    y = pd.DataFrame({"y": pd.Categorical(["p" if k % 2 else "q" for k in range(30)])})
    clf = stkr.STKRClassifier("rbf").fit(Protocol(frame), Protocol(y), labeled=range(10))
    expected = stkr.STKRClassifier("rbf").fit(frame, y["y"], labeled=range(10))
    np.testing.assert_array_equal(clf.transduction_, expected.transduction_)
    assert list(clf.feature_names_in_) == ["u", "v"]
