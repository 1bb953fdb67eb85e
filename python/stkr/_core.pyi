"""The compiled part of stkr. Arrays are C-contiguous and aligned; python/stkr makes sure of it."""

import os
from typing import Any, Callable, Sequence

import numpy as np
from numpy.typing import NDArray

__version__: str

_Floats = NDArray[np.float64]
_Path = str | os.PathLike[str]
# scores, evidence, class_index, tied
_Answers = tuple[_Floats, NDArray[np.bool_], NDArray[np.int64], NDArray[np.bool_]]

class DataError(ValueError): ...

class SpectralTransform:
    @staticmethod
    def power(exponent: float) -> SpectralTransform: ...
    @staticmethod
    def polynomial(coefficients: Sequence[float]) -> SpectralTransform: ...
    @staticmethod
    def inverse_laplacian(eta: float) -> SpectralTransform: ...
    @staticmethod
    def reciprocal(coefficients: Sequence[float], r: int) -> SpectralTransform: ...
    @staticmethod
    def diffusion(time: float) -> SpectralTransform: ...
    @staticmethod
    def truncation(dimension: int) -> SpectralTransform: ...
    @staticmethod
    def function(name: str, s: Callable[[float], float]) -> SpectralTransform: ...
    @property
    def name(self) -> str: ...
    def describe(self) -> str: ...
    def __call__(self, eigenvalues: _Floats) -> _Floats: ...
    def validate(
        self, lower: float, upper: float
    ) -> tuple[bool, float, list[tuple[str, bool, str]]]: ...

class Recipe:
    kernel: str
    length_scale: float | None
    scale_factor: float
    median_scale: bool
    neighbours: int | None
    edge_weight: str
    edge_rule: str
    recall: float | None
    gamma: float
    coef0: float
    degree: int
    normalize: bool | None
    self_loops: bool
    centre: bool
    method: str
    transform: str
    eta: float | None
    power: float | None
    coefficients: list[float]
    r: int
    time: float | None
    dimension: int | None
    literal_top_d: bool
    pca_of_all: bool
    function: Callable[[float], float] | None
    function_name: str
    ridge: float | None
    beta: float | None
    solver: str
    tolerance: float
    max_iterations: int
    step_size: float
    iterations: int
    intercept: bool
    sample_weights: _Floats
    measure: str
    class_mass: bool
    uniform_prior: bool
    prior: list[float]
    embedding: int
    memory: int
    seed: int
    threads: int
    def __init__(self) -> None: ...

def parse_memory(text: str) -> int: ...

class Samples:
    @staticmethod
    def points(values: NDArray[Any], feature_names: list[str] = ...) -> Samples: ...
    @staticmethod
    def kernel(values: NDArray[Any]) -> Samples: ...
    @staticmethod
    def graph(
        indptr: NDArray[Any],
        indices: NDArray[Any],
        data: NDArray[Any],
        rows: int,
        cols: int,
        symmetrize: bool = ...,
    ) -> Samples: ...
    @staticmethod
    def operator(kernel: Any, size: int) -> Samples: ...
    def __len__(self) -> int: ...

class Gram:
    def __init__(self, samples: Samples, recipe: Recipe) -> None: ...
    def __len__(self) -> int: ...
    def apply(self, x: _Floats) -> _Floats: ...
    def block(self, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> _Floats: ...
    @property
    def bounds(self) -> tuple[float, float]: ...
    @property
    def sparse(self) -> bool: ...
    @property
    def description(self) -> str: ...
    @property
    def choices(self) -> list[tuple[str, str, str]]: ...
    def largest_eigenvalue(self, seed: int, threads: int) -> float: ...
    def eigenpairs(
        self, count: int, tolerance: float, max_iterations: int, seed: int, threads: int
    ) -> tuple[_Floats, _Floats, _Floats, dict[str, Any]]: ...
    def solve(
        self, labeled: NDArray[np.int64], y: _Floats, recipe: Recipe
    ) -> tuple[_Floats, _Floats, _Floats, dict[str, Any], list[tuple[str, str, str]]]: ...

class NewSamples:
    @staticmethod
    def dense(values: NDArray[Any]) -> NewSamples: ...
    @staticmethod
    def edges(
        indptr: NDArray[Any], indices: NDArray[Any], data: NDArray[Any], rows: int, cols: int
    ) -> NewSamples: ...
    @staticmethod
    def parts(parts: list[NewSamples]) -> NewSamples: ...
    def __len__(self) -> int: ...

class Model:
    @staticmethod
    def load(path: _Path, threads: int = ...) -> Model: ...
    def save(self, path: _Path) -> None: ...
    def __len__(self) -> int: ...
    def predict_new(self, samples: NewSamples) -> _Answers: ...
    def predict_fitted(self) -> _Answers: ...
    def kernel_product(self, samples: NewSamples, b: _Floats, values: _Floats) -> _Floats: ...
    @property
    def coefficients(self) -> _Floats: ...
    @property
    def fitted(self) -> _Floats: ...
    @property
    def outputs(self) -> int: ...
    @property
    def features(self) -> int | None: ...
    @property
    def info(self) -> dict[str, Any]: ...
    @property
    def names(self) -> list[str]: ...
    @property
    def prior(self) -> _Floats | None: ...

def fit(
    samples: Samples, y: NDArray[Any], names: list[str], recipe: Recipe
) -> tuple[Model, dict[str, Any], tuple[_Floats, _Floats, _Floats] | None]: ...

class Grid:
    powers: list[float]
    polynomials: list[list[float]]
    etas: list[float]
    times: list[float]
    dimensions: list[int]
    ridges: list[float]
    betas: list[float]
    propagation_etas: list[float]
    propagation_steps: list[int]
    def __init__(self) -> None: ...

class LengthScale:
    def __init__(
        self, value: float = ..., relative: bool = ..., median: bool = ...
    ) -> None: ...

class KernelGrid:
    kernels: list[str]
    length_scales: list[LengthScale]
    neighbour_counts: list[int]
    def __init__(self) -> None: ...

class Selection:
    @property
    def scores(self) -> dict[str, list[Any]]: ...
    @property
    def ranking(self) -> list[int]: ...
    @property
    def score(self) -> str: ...
    @property
    def warnings(self) -> list[str]: ...
    @property
    def seconds(self) -> float: ...
    @property
    def expected_score(self) -> float | None: ...
    def recipe(self, place: int) -> Recipe: ...
    def describe(self, place: int) -> str: ...

def select(
    samples: Samples,
    y: NDArray[Any],
    names: list[str],
    recipe: Recipe,
    grid: Grid,
    kernels: KernelGrid,
    folds: int,
    train_and_validation: tuple[NDArray[np.int64], NDArray[np.int64]] | None,
    score: str,
    class_mass: str,
) -> Selection: ...

class ExhibitCell:
    @property
    def method(self) -> str: ...
    @property
    def setting(self) -> str: ...
    @property
    def p_test(self) -> float: ...
    @property
    def parameter(self) -> float | None: ...

class PaperGraph:
    def __init__(self, folder: _Path, name: str) -> None: ...
    @property
    def warnings(self) -> list[str]: ...
    def run_cells(
        self, cells: list[ExhibitCell], seed: int, richardson: bool, prior: bool, threads: int
    ) -> list[float | None]: ...

def exhibit_cells(exhibit: str) -> list[ExhibitCell]: ...
def compare_with_paper(
    dataset: str, exhibit: str, cell: ExhibitCell, accuracies: list[float]
) -> dict[str, Any]: ...
def paper_datasets() -> list[str]: ...
