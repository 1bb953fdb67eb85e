"""The SciPy side of bench/grid.py: the paper's splits and grid, and its four methods on one split."""

import concurrent.futures

import numpy as np
import scipy.linalg
import scipy.sparse as sp
import scipy.sparse.csgraph
import scipy.sparse.linalg

POWERS = (1, 2, 4, 6, 8)
ETAS = (0.7, 0.8, 0.9, 0.99, 0.999, 0.9999, 0.99999, 0.999999)
DIMENSIONS = (32, 64, 128, 256, 512)
BETAS = tuple(float(f"1e{k}") for k in range(3, -9, -1))
STEPS = (1, 2, 4, 8, 16, 32)
METHODS = ("poly", "lap", "topd", "lp")
FAMILIES = {"power": "poly", "inverse-laplacian": "lap", "kernel-pca": "topd",
            "label-propagation": "lp"}  # as stkr select calls them
PARTS = ("val", "test")
WAYS = {"poly": ("products",), "lap": ("splu", "cg"), "topd": ("arpack", "shift-invert", "dense"),
        "lp": ("products",)}
DENSE_BELOW = 4000
LU_OPTIONS = {"diag_pivot_thresh": 0.0, "options": {"SymmetricMode": True}}

NO_EVIDENCE = 1e-10  # of the largest score
TIE = 1e-6  # of the largest score


# --- data ----------------------------------------------------------------------------------------


def load_graph(path):
    with np.load(path) as a:
        w = sp.csr_matrix((a["adj_data"], a["adj_indices"], a["adj_indptr"]), shape=a["adj_shape"])
        return w.astype(np.float64), a["labels"]


def make_split(dataset, labels, seed):
    """The paper's sizes: 1% test; 20 per class, or Planetoid's sizes, for train and val."""
    nodes = labels.size
    twenty_per_class = 20 * (int(labels.max()) + 1)
    planetoid = {"cora": 500, "citeseer": 500, "pubmed": 500}
    sizes = [twenty_per_class, planetoid.get(dataset, twenty_per_class), (nodes + 50) // 100]
    parts = np.split(np.random.default_rng(seed).permutation(nodes), np.cumsum(sizes))
    return {name: np.sort(part) for name, part in zip(("train", "val", "test", "other"), parts)}


class Problem:
    """The nodes that are visible in one setting, and the scored nodes (val, then test)."""

    def __init__(self, adjacency, labels, split, setting, threads, tolerance):
        self.threads, self.tolerance = threads, tolerance
        self.scored = scored = np.concatenate([split["val"], split["test"]])
        if setting == "transductive":
            visible = np.arange(labels.size)
        else:
            visible = np.sort(np.concatenate([split["train"], split["other"]]))
        w = adjacency[visible][:, visible]
        self.size = visible.size
        scale = inverse_root(w.sum(axis=1))
        self.s = (sp.diags(scale) @ w @ sp.diags(scale)).tocsr()
        self.product = ThreadedProduct(self.s, threads)
        # Rows K(x, .) of the scored nodes; D(x) counts visible nodes, so that in the transductive
        # setting these are rows of N S.
        rows = adjacency[scored][:, visible]
        row_scale = inverse_root(rows.sum(axis=1))
        self.rows = (self.size * sp.diags(row_scale) @ rows @ sp.diags(scale)).tocsr()

        self.labeled = np.searchsorted(visible, split["train"])
        self.unlabeled = np.setdiff1d(np.arange(self.size), self.labeled)
        self.y = np.eye(labels.max() + 1)[labels[split["train"]]]
        self.truth = labels[scored]
        self.parts = {"val": slice(0, split["val"].size), "test": slice(split["val"].size, None)}

        _, component = sp.csgraph.connected_components(w, directed=False)
        known = np.isin(component, component[self.labeled]).astype(float)
        self.unreached = self.count(rows @ known == 0)
        # D^1/2 1 on each component: the normalized eigenvectors for eigenvalue 1.
        root = np.sqrt(np.asarray(w.sum(axis=1)).ravel())
        top = sp.csr_matrix((root, (np.arange(self.size), component)))
        lengths = np.sqrt(np.asarray(top.multiply(top).sum(axis=0)).ravel())
        self.top = (top @ sp.diags(np.divide(1.0, lengths, where=lengths > 0,
                                             out=np.zeros_like(lengths)))).tocsr()

    def count(self, nodes):
        return {part: int(nodes[where].sum()) for part, where in self.parts.items()}

    def score(self, f):
        """Accuracies of the scores f, and the number of nearly undecided nodes."""
        size = np.abs(f).max(axis=1)
        largest = size.max()
        predicted = f.argmax(axis=1)
        none = size <= NO_EVIDENCE * largest
        predicted[none] = self.y.sum(axis=0).argmax()
        second, best = np.partition(f, -2, axis=1)[:, -2:].T
        undecided = (best - second < TIE * largest) & (size > 0)
        right = {p: (predicted[w] == self.truth[w]).astype(float) for p, w in self.parts.items()}
        # As in stkr: nodes without evidence score 1/classes for selection; reports use the most
        # frequent class.
        right["val"][none[self.parts["val"]]] = 1.0 / self.y.shape[1]
        accuracy = {p: float(values.mean()) for p, values in right.items()}
        return accuracy | {"ties": self.count(undecided)}


class ThreadedProduct:
    """S @ x with the rows split into pieces of equal work: SciPy's product uses one thread."""

    def __init__(self, s, threads):
        cuts = np.searchsorted(s.indptr, np.linspace(0, s.nnz, threads + 1)[1:-1])
        edges = [0, *cuts, s.shape[0]]
        self.pieces = [s[i:j] for i, j in zip(edges, edges[1:])]
        self.pool = concurrent.futures.ThreadPoolExecutor(threads)

    def __matmul__(self, x):
        return np.concatenate(list(self.pool.map(lambda piece: piece @ x, self.pieces)))


def inverse_root(degrees):
    d = np.asarray(degrees).ravel()
    return np.divide(1.0, np.sqrt(d), out=np.zeros_like(d), where=d > 0)


# --- the four methods ----------------------------------------------------------------------------


def ridge_path(problem, gram, cross):
    """f = cross (gram + n beta I)^-1 Y for every beta, from one eigendecomposition.

    Labeled nodes without neighbors do not contribute to scores, but their alpha = y / (n beta) would
    amplify the round-off of the other eigenvectors, so they are excluded.
    """
    used = gram.any(axis=1) | cross.any(axis=0)
    a = gram[np.ix_(used, used)]
    values, vectors = np.linalg.eigh((a + a.T) / 2)
    left, right = cross[:, used] @ vectors, vectors.T @ problem.y[used]
    for beta in BETAS:
        yield beta, left @ (right / (values + len(gram) * beta)[:, None])


def labeled_columns(problem):
    e = np.zeros((problem.size, problem.labeled.size))
    e[problem.labeled, np.arange(problem.labeled.size)] = 1.0
    return e


def poly(problem, _way):
    """s = lambda^p: A = N E' S^p E and c = S^(p-1) E alpha."""
    block, power = labeled_columns(problem), 1
    labeled_rows = problem.size * problem.s[problem.labeled]
    for p in POWERS:
        while power < p:
            block, power = problem.product @ block, power + 1
        for beta, f in ridge_path(problem, labeled_rows @ block, problem.rows @ block):
            yield {"param": p, "beta": beta}, f


def conjugate_gradients(problem, eta, b, x, max_iterations=20000):
    """X with (I - eta S) X = B from a start X; every column has its own step.

    The known eigenvectors, with eigenvalue 1, are solved for directly, which improves the condition
    of the rest.
    """
    u = problem.top
    known = u.T @ b
    goal = problem.tolerance**2 * np.einsum("ij,ij->j", b, b)
    x = x - u @ (u.T @ x)
    r = b - u @ known - x + eta * (problem.product @ x)
    p = r.copy()
    rho = np.einsum("ij,ij->j", r, r)
    for _ in range(max_iterations):
        if (rho <= goal).all():
            return x + u @ (known / (1.0 - eta))
        q = problem.product @ p
        q *= -eta
        q += p
        curvature = np.einsum("ij,ij->j", p, q)
        # A column with a residual of exactly zero does not change.
        step = np.divide(rho, curvature, out=np.zeros_like(rho), where=curvature > 0)
        q *= step
        r -= q
        np.multiply(p, step, out=q)
        x += q
        rho, previous = np.einsum("ij,ij->j", r, r), rho
        p *= np.divide(rho, previous, out=np.zeros_like(rho), where=previous > 0)
        p += r
    raise RuntimeError(f"conjugate gradients: no convergence at eta = {eta}")


def resolvents(problem, way):
    """(I - eta S)^-1 E for every eta."""
    e = labeled_columns(problem)
    if way == "cg":
        x = e
        for eta in ETAS:
            x = conjugate_gradients(problem, eta, e, x)
            yield eta, x
        return
    identity = sp.identity(problem.size)
    first = sp.linalg.splu((identity - ETAS[0] * problem.s).tocsc(), permc_spec="MMD_AT_PLUS_A",
                           **LU_OPTIONS)
    order = np.argsort(first.perm_c)
    ordered, right = problem.s[order][:, order], e[order]

    def solve(eta):
        lu = sp.linalg.splu((identity - eta * ordered).tocsc(), permc_spec="NATURAL", **LU_OPTIONS)
        x = np.empty_like(right)
        x[order] = lu.solve(right)
        return eta, x

    with concurrent.futures.ThreadPoolExecutor(problem.threads) as pool:
        yield from pool.map(solve, ETAS)


def lap(problem, way):
    """s = lambda / (1 - eta lambda): c = (I - eta S)^-1 E alpha."""
    labeled_rows = problem.size * problem.s[problem.labeled]
    for eta, block in resolvents(problem, way):
        for beta, f in ridge_path(problem, labeled_rows @ block, problem.rows @ block):
            yield {"param": eta, "beta": beta}, f


def kernel_pca(problem, way, dimensions=max(DIMENSIONS)):
    """Largest eigenpairs of G_{K,m}/m, in descending order, with |v_i|^2 = 1/(m lambda_i).

    Computed per component: N/m is an eigenvalue for every component without a label, and ARPACK on
    the whole matrix returns only about half of these copies (70 on Cora).
    """
    u = problem.unlabeled
    bound = problem.size / u.size  # of the eigenvalues
    gram = bound * problem.s[u][:, u]
    _, component = sp.csgraph.connected_components(gram, directed=False)
    pairs = []
    for members in np.split(np.argsort(component, kind="stable"), np.bincount(component).cumsum()):
        if members.size > 1:  # an isolated node has eigenvalue 0
            block = gram[members][:, members]
            values, vectors = largest_eigenpairs(block, dimensions, problem.tolerance, way, bound)
            pairs += [(value, members, v) for value, v in zip(values, vectors.T) if value > 0]
    pairs = sorted(pairs, key=lambda pair: -pair[0])[:dimensions]
    scaled = np.zeros((u.size, len(pairs)))
    for i, (value, members, v) in enumerate(pairs):
        scaled[members, i] = v / np.sqrt(u.size * value)
    return np.array([value for value, _, _ in pairs]), scaled


def largest_eigenpairs(matrix, count, tolerance, way, bound):
    size = matrix.shape[0]
    if way == "dense" or size <= 2 * count:
        return scipy.linalg.eigh(matrix.toarray(), subset_by_index=(max(0, size - count), size - 1))
    start = np.random.default_rng(0).standard_normal(size)
    if way == "arpack":
        return sp.linalg.eigsh(matrix, k=count, which="LA", tol=tolerance, v0=start)
    sigma = 1.01 * bound
    lu = sp.linalg.splu((sigma * sp.identity(size) - matrix).tocsc(), permc_spec="MMD_AT_PLUS_A",
                        **LU_OPTIONS)
    inverse = sp.linalg.LinearOperator(matrix.shape, matvec=lambda x: -lu.solve(x.ravel()),
                                       dtype=float)
    # Smaller than the default 2k + 1: fewer columns to orthogonalize against.
    return sp.linalg.eigsh(matrix, k=count, sigma=sigma, which="LM", OPinv=inverse, tol=tolerance,
                           ncv=3 * count // 2, v0=start)


def topd(problem, way):
    values, v = kernel_pca(problem, way)
    u = problem.unlabeled
    psi_labeled = problem.size * problem.s[problem.labeled][:, u] @ v
    psi_scored = problem.rows[:, u] @ v
    for d in DIMENSIONS:
        if d > values.size:
            continue
        # Features that are zero on every labeled node get no weight.
        used = np.abs(psi_labeled[:, :d]).max(axis=0) > 0
        a, b = psi_labeled[:, :d][:, used], psi_scored[:, :d][:, used]
        note = {"gap": float(values[d - 1] - values[d])} if d < values.size else {}
        for beta, f in primal_path(problem, a, b) if a.shape[1] <= len(a) else dual_path(problem, a, b):
            yield {"param": d, "beta": beta} | note, f


def primal_path(problem, a, b):
    """f = b (a'a + n beta I)^-1 a' Y; a is n x d."""
    values, vectors = np.linalg.eigh(a.T @ a)
    left, right = b @ vectors, vectors.T @ (a.T @ problem.y)
    for beta in BETAS:
        yield beta, left @ (right / (values + len(a) * beta)[:, None])


def dual_path(problem, a, b):
    """The same as f = b a' (a a' + n beta I)^-1 Y, for d > n."""
    return ridge_path(problem, a @ a.T, b @ a.T)


def lp(problem, _way):
    """Zhou et al. (2003): T steps Y <- eta S Y + Y0, i.e. sum_{t <= T} eta^t S^t Y0."""
    block = np.zeros((problem.size, problem.y.shape[1]))
    block[problem.labeled] = problem.y
    powers = [block[problem.scored]]
    for _ in range(max(STEPS)):
        block = problem.product @ block
        powers.append(block[problem.scored])
    for eta in ETAS:
        y = powers[0]
        for step in range(1, max(STEPS) + 1):
            y = y + eta**step * powers[step]
            if step in STEPS:
                yield {"param": eta, "iterations": step}, y
