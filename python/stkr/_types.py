"""Types of parameters, for annotations."""

from __future__ import annotations

from typing import Any, Callable, Sequence, Union

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Indices = NDArray[np.int64]
# X: an array, a DataFrame, a sparse matrix, a graph or a LinearOperator; y: anything with classes
# or numbers and a mark for unlabeled samples. They are checked when they are used.
Samples = Any
Labels = Any
Kernel = Union[str, Callable[[Array, Array], Array]]
Numbers = Union[float, Sequence[float], Array]
