"""The compiled part of stkr. Arrays must be C-contiguous and aligned; python/stkr ensures it."""

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
    def poisson(eta: float) -> SpectralTransform: ...
    @staticmethod
    def smooth_step(position: float, sharpness: int) -> SpectralTransform: ...
    @staticmethod
    def sum(terms: Sequence[tuple[float, SpectralTransform]]) -> SpectralTransform: ...
    @staticmethod
    def through(pairs: Sequence[tuple[float, float]]) -> SpectralTransform: ...
    @staticmethod
    def from_text(text: str) -> SpectralTransform: ...
    @staticmethod
    def function(name: str, s: Callable[[float], float]) -> SpectralTransform: ...
    @property
    def name(self) -> str: ...
    def describe(self) -> str: ...
    def text(self) -> str: ...
    def __call__(self, eigenvalues: _Floats) -> _Floats: ...
    def validate(
        self, lower: float, upper: float
    ) -> tuple[bool, float, list[tuple[str, bool, str]]]: ...

class LengthScale:
    def __init__(
        self, value: float = ..., relative: bool = ..., median: bool = ...
    ) -> None: ...

class Specification:
    kernel: str
    length_scale: LengthScale | None
    neighbors: int | None
    edge_weight: str
    edge_rule: str
    recall: float | None
    principal_components: int | None
    gamma: float | None
    coef0: float | None
    degree: int | None
    normalize: bool | None
    self_loops: bool
    features_kernel: str
    features_length_scale: LengthScale | None
    smooth: int | None
    features_share: float
    center: bool
    method: str
    transform: SpectralTransform | None
    eta: float | None
    power: float | None
    time: float | None
    dimension: int | None
    literal_top_d: bool
    pca_of_all: bool
    ridge: float | None
    beta: float | None
    solver: str
    tolerance: float | None
    max_iterations: int | None
    step_size: float | None
    iterations: int | None
    intercept: bool
    sample_weights: _Floats
    measure: str
    transform_name: str
    by_volume: bool
    class_mass: bool
    uniform_prior: bool
    prior: list[float]
    embedding: int
    diagnostics: bool
    leave_one_out: bool
    keep_system: bool
    progress: Callable[[str, int, int, float], None] | None
    memory: int
    seed: int
    threads: int
    device: str
    def __init__(self) -> None: ...

def point_kernel_names() -> list[str]: ...
def graph_kernel_names() -> list[str]: ...
def transform_names() -> list[str]: ...
def solver_names() -> list[str]: ...
def edge_weight_names() -> list[str]: ...
def edge_rule_names() -> list[str]: ...
def measure_names() -> list[str]: ...
def arrow_columns(stream: Any) -> list[tuple[str, Any, NDArray[np.bool_]]]: ...
def parse_memory(text: str) -> int: ...
def default_threads() -> int: ...

class Samples:
    @staticmethod
    def points(values: NDArray[Any], feature_names: list[str] = ...) -> Samples: ...
    @staticmethod
    def sparse_points(
        indptr: NDArray[Any],
        indices: NDArray[Any],
        data: NDArray[Any],
        rows: int,
        cols: int,
        feature_names: list[str] = ...,
    ) -> Samples: ...
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
    def set_features(self, values: NDArray[Any]) -> None: ...
    def set_sparse_features(
        self,
        indptr: NDArray[Any],
        indices: NDArray[Any],
        data: NDArray[Any],
        rows: int,
        cols: int,
    ) -> None: ...
    def set_names(self, names: list[str]) -> None: ...
    def __len__(self) -> int: ...

class Gram:
    def __init__(self, samples: Samples, spec: Specification) -> None: ...
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
    def largest_eigenvalue(self, spec: Specification) -> float: ...
    def eigenpairs(
        self, count: int, tolerance: float, max_iterations: int, spec: Specification
    ) -> tuple[_Floats, _Floats, _Floats, dict[str, Any]]: ...
    def solve(
        self, labeled: NDArray[np.int64], y: _Floats, spec: Specification
    ) -> tuple[_Floats, _Floats, _Floats, dict[str, Any], list[tuple[str, str, str]]]: ...

class NewSamples:
    @staticmethod
    def dense(values: NDArray[Any]) -> NewSamples: ...
    @staticmethod
    def sparse(
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
    def read_table(self, path: _Path) -> tuple[_Floats, list[str]]: ...
    def standardize(self, X: NDArray[Any]) -> _Floats: ...
    def predict_fitted(self) -> _Answers: ...
    def answer_warnings(
        self, evidence: NDArray[np.bool_], classes: NDArray[np.int64]
    ) -> list[str]: ...
    def probabilities(self, scores: _Floats, evidence: NDArray[np.bool_]) -> _Floats: ...
    def prediction_sets(
        self, scores: _Floats, evidence: NDArray[np.bool_], coverage: float
    ) -> NDArray[np.bool_]: ...
    @property
    def largest_coverage(self) -> float | None: ...
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
    def boolean(self) -> bool: ...
    @property
    def prior(self) -> _Floats | None: ...

class FittedSystem:
    def __len__(self) -> int: ...
    @property
    def labeled(self) -> NDArray[np.int64]: ...
    @property
    def y(self) -> _Floats: ...
    @property
    def constant(self) -> bool: ...
    @property
    def terms(self) -> list[tuple[SpectralTransform, list[float]]]: ...
    def variances_of_known(self, samples: NDArray[np.int64]) -> _Floats: ...
    def variances_of_new(self, samples: NewSamples) -> _Floats: ...
    def intervals_of_known(
        self, samples: NDArray[np.int64], coverage: float
    ) -> tuple[_Floats, _Floats]: ...
    def intervals_of_new(
        self, samples: NewSamples, coverage: float
    ) -> tuple[_Floats, _Floats]: ...
    def suggest(
        self,
        classes: NDArray[np.int64],
        doubt: _Floats,
        count: int,
        criterion: str,
        balance: bool,
    ) -> NDArray[np.int64]: ...
    def contributions_to_known(self, sample: int, through: int) -> dict[str, Any]: ...
    def contributions_to_new(self, sample: NewSamples, through: int) -> dict[str, Any]: ...

def class_probabilities(
    scores: _Floats, evidence: NDArray[np.bool_], prior: list[float]
) -> _Floats: ...
def fit(
    samples: Samples, y: NDArray[Any], names: list[str], spec: Specification, boolean: bool = ...
) -> tuple[
    Model, dict[str, Any], tuple[_Floats, _Floats, _Floats] | None, FittedSystem | None
]: ...

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

class KernelGrid:
    kernels: list[str]
    length_scales: list[LengthScale]
    neighbor_counts: list[int]
    smoothings: list[int]
    mixes: list[float]
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
    def tied(self) -> int: ...
    @property
    def left_out(self) -> list[tuple[str, str]]: ...
    @property
    def expected_score(self) -> float | None: ...
    def specification(self, place: int) -> Specification: ...
    def kernel(self, place: int) -> dict[str, Any]: ...
    def describe(self, place: int) -> str: ...

def select(
    samples: Samples,
    y: NDArray[Any],
    names: list[str],
    spec: Specification,
    grid: Grid,
    kernels: KernelGrid,
    folds: int,
    train_and_validation: tuple[NDArray[np.int64], NDArray[np.int64]] | None,
    own_folds: list[tuple[NDArray[np.int64], NDArray[np.int64]]] | None,
    score: str,
    own_score: Callable[[_Floats, NDArray[np.bool_], NDArray[np.int64], NDArray[np.int64]], float]
    | None,
    class_mass: str,
) -> Selection: ...

class FitRecord: ...

def explain(
    samples: Samples,
    y: NDArray[Any],
    names: list[str],
    spec: Specification,
    boolean: bool,
    draws: int,
    curves: bool,
    repeat: list[tuple[str, str]],
) -> tuple[str, str]: ...
def fit_page(
    model: Model,
    record: FitRecord,
    selection: Selection | None,
    y: NDArray[Any] | None,
    classes: list[str],
    data: str,
    names: list[str],
    features: _Floats | None,
    image: str,
    repeat: list[tuple[str, str]],
) -> str: ...

def reproduce(
    folder: _Path,
    datasets: list[str],
    exhibit: str,
    methods: list[str],
    seeds: list[int],
    richardson: bool,
    prior: bool,
    checkpoint: _Path | None,
    spec: Specification,
) -> tuple[list[dict[str, Any]], list[str], list[str]]: ...
def paper_methods(exhibit: str) -> list[str]: ...
def paper_datasets() -> list[str]: ...

_Estimate = tuple[float, float, float]  # value, standard error, resolution

class SpectralDensity:
    @property
    def size(self) -> int: ...
    @property
    def exact(self) -> bool: ...
    @property
    def nodes(self) -> list[_Floats]: ...
    @property
    def weights(self) -> list[_Floats]: ...
    def smallest(self) -> float: ...
    def largest(self) -> float: ...
    def trace(self, phi: Callable[[float], float]) -> _Estimate: ...
    def count_above(self, eigenvalue: float) -> _Estimate: ...
    def effective_dimension(self, transform: SpectralTransform, beta: float) -> _Estimate: ...

def spectral_density(
    gram: Gram | FittedSystem, exact_below: int, probes: int, steps: int, spec: Specification
) -> SpectralDensity: ...
def eigenvalue_decay(
    gram: Gram | FittedSystem,
    transform: SpectralTransform,
    exact_below: int,
    leading: int,
    floor: float,
    spec: Specification,
) -> dict[str, Any]: ...
def effective_dimension(
    gram: Gram | FittedSystem,
    transform: SpectralTransform,
    samples: NDArray[np.int64],
    beta: float,
    spec: Specification,
) -> float: ...
def definiteness(
    gram: Gram | FittedSystem, exact_below: int, probes: int, steps: int, spec: Specification
) -> dict[str, Any]: ...
def kernel_bound(
    gram: Gram | FittedSystem, most: int, spec: Specification
) -> dict[str, Any]: ...
def rkhs_norm(
    gram: Gram | FittedSystem,
    s: float | SpectralTransform,
    f: _Floats,
    exact_below: int,
    spec: Specification,
) -> dict[str, Any]: ...
def rkhs_inner_product(
    gram: Gram | FittedSystem,
    s: float | SpectralTransform,
    f: _Floats,
    g: _Floats,
    exact_below: int,
    spec: Specification,
) -> float: ...
def smoothness(
    gram: Gram | FittedSystem,
    f: _Floats,
    scales: list[float],
    exact_below: int,
    spec: Specification,
) -> list[dict[str, Any]]: ...
def poincare_constants(
    gram: Gram | FittedSystem, p: float, count: int, spec: Specification
) -> _Floats: ...
def discriminant(scores: _Floats, classes: NDArray[np.int64]) -> dict[str, Any]: ...
def transformed_kernel(
    gram: Gram | FittedSystem,
    s: float | SpectralTransform,
    known: NDArray[np.int64],
    fresh: NewSamples | None,
    among: _Floats | None,
    dense_below: int,
    spec: Specification,
) -> tuple[_Floats, float, bool]: ...
def kernel_distances(kernel: _Floats) -> _Floats: ...
def cross_fit(
    gram: Gram | FittedSystem,
    labeled: NDArray[np.int64],
    y: _Floats,
    transform: SpectralTransform,
    ridge: float,
    beta: float | None,
    constant: bool,
    parts: int,
    spec: Specification,
) -> dict[str, Any]: ...
def target_estimates_of_fit(
    gram: Gram | FittedSystem,
    labeled: NDArray[np.int64],
    y: _Floats,
    transform: SpectralTransform,
    ridge: float,
    beta: float | None,
    constant: bool,
    spec: Specification,
) -> tuple[dict[str, float], list[dict[str, float]], int]: ...
def target_estimates(
    gram: Gram | FittedSystem,
    transform: SpectralTransform,
    values: _Floats,
    residuals: _Floats,
    spec: Specification,
) -> tuple[dict[str, float], list[dict[str, float]], int]: ...

class TheoryFacts:
    independent: bool | None
    kernel_bound: bool | None
    target: bool | None
    moments: bool | None
    decay: bool | None
    embedding: bool | None
    def __init__(self) -> None: ...

class EstimationInputs:
    n: int
    p: float
    tau: float
    kappa_squared: float
    slope: float
    epsilon: float
    scale_b: float
    sigma: float
    moment_l: float
    facts: TheoryFacts
    def __init__(self) -> None: ...

class ApproximationInputs:
    transform: SpectralTransform
    n: int
    m: int
    kappa_squared: float
    eigenvalue: float
    beta: float
    delta: float
    mean_square_y: float
    facts: TheoryFacts
    def __init__(self) -> None: ...

class TopDApproximationInputs:
    d: int
    m: int
    kappa_squared: float
    lambda_1: float
    lambda_next: float
    g_squared: float | None
    slope: float
    epsilon: float
    scale_b: float
    delta: float
    facts: TheoryFacts
    def __init__(self) -> None: ...

class FischerSteinwartInputs:
    n: int
    beta_n: float
    p: float
    alpha: float
    embedding_c2: float
    beta: float
    source_c3: float
    gamma: float
    largest_target: float
    kappa_squared: float
    sigma: float
    moment_l: float
    tau: float
    facts: TheoryFacts
    def __init__(self) -> None: ...

def estimation_bound(inputs: EstimationInputs) -> dict[str, Any]: ...
def agnostic_laplacian_bound(inputs: EstimationInputs, own_slope: float) -> dict[str, Any]: ...
def approximation_bound(inputs: ApproximationInputs) -> dict[str, Any]: ...
def kernel_gap_bound(inputs: ApproximationInputs) -> dict[str, Any]: ...
def inner_product_gap_bound(inputs: ApproximationInputs) -> dict[str, Any]: ...
def largest_eigenvalue_bound(
    lambda_1: float, samples: int, kappa_squared: float, delta: float, facts: TheoryFacts
) -> dict[str, Any]: ...
def top_d_lower_bound(
    s_first: float, s_next: float, epsilon: float, scale_b: float
) -> dict[str, Any]: ...
def top_d_estimation_bound(
    inputs: EstimationInputs, delta: float, lambda_d: float, gap_p: float, gap_kernel: float
) -> dict[str, Any]: ...
def top_d_needed_labels(kappa_squared: float, lambda_d: float, delta: float) -> float: ...
def top_d_approximation_bounds(
    inputs: TopDApproximationInputs,
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]: ...
def fischer_steinwart_bound(inputs: FischerSteinwartInputs) -> dict[str, Any]: ...
def theory_beta(n: int, p: float, c: float) -> float: ...
def needed_unlabeled(n: int, p: float) -> float: ...
def power_series(
    transform: SpectralTransform, eigenvalue: float
) -> tuple[bool | None, str]: ...
