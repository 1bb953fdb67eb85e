"""The graph convolutional network of Kipf and Welling (2017) in plain PyTorch, for bench/graph_features.py."""

import numpy as np
import scipy.sparse

DECAYS = (5e-4, 5e-3, 5e-5)
HIDDEN, DROPOUT, RATE, EPOCHS, PATIENCE = 64, 0.5, 0.01, 300, 50


def gcn(graph, split, found, seed, threads, device):
    """Add the candidates to `found`."""
    import torch
    torch.set_num_threads(threads)
    train, choose, test = (torch.from_numpy(rows).to(device) for rows in split)
    y = torch.from_numpy(graph.y).to(device)

    def sparse(matrix):
        matrix = matrix.tocsr().astype(np.float32)
        return torch.sparse_csr_tensor(torch.from_numpy(matrix.indptr.astype(np.int64)),
                                       torch.from_numpy(matrix.indices.astype(np.int64)),
                                       torch.from_numpy(matrix.data), size=matrix.shape).to(device)

    class Product(torch.autograd.Function):
        """A constant sparse matrix times a dense one; A^T is given, since PyTorch 1.13 has no gradient here."""

        @staticmethod
        def forward(context, a, transposed, b):
            context.transposed = transposed
            return a @ b

        @staticmethod
        def backward(context, gradient):
            return None, None, context.transposed @ gradient.contiguous()

    sums = np.asarray(graph.x.sum(axis=1)).ravel()
    s = sparse(graph.s)
    for kind in ("rows divided", "X as it is"):
        matrix = scipy.sparse.diags(1.0 / np.where(sums > 0, sums, 1.0)) @ graph.x if kind == "rows divided" \
            else graph.x
        matrix = matrix.tocsr()
        x, xt = sparse(matrix), sparse(matrix.T)
        order = torch.from_numpy(scipy.sparse.csr_matrix((np.arange(matrix.nnz) + 1, matrix.indices, matrix.indptr),
                                                         shape=matrix.shape).T.tocsr().data - 1).to(device)
        for decay in DECAYS:
            torch.manual_seed(seed)
            w1 = torch.empty(matrix.shape[1], HIDDEN)
            w2 = torch.empty(HIDDEN, graph.classes)
            torch.nn.init.xavier_uniform_(w1)
            torch.nn.init.xavier_uniform_(w2)
            w1, w2, b1, b2 = (p.to(device).requires_grad_()
                              for p in (w1, w2, torch.zeros(HIDDEN), torch.zeros(graph.classes)))
            optimizer = torch.optim.Adam([{"params": [w1, b1], "weight_decay": decay},
                                          {"params": [w2, b2], "weight_decay": 0.0}], lr=RATE)

            def forward(training):
                a, at = x, xt
                if training:  # dropout of the features, as published: of their nonzero entries
                    kept = x.values() * (torch.rand(matrix.nnz, device=device) >= DROPOUT) / (1.0 - DROPOUT)
                    a = torch.sparse_csr_tensor(x.crow_indices(), x.col_indices(), kept, size=x.shape)
                    at = torch.sparse_csr_tensor(xt.crow_indices(), xt.col_indices(), kept[order], size=xt.shape)
                h = torch.relu(Product.apply(s, s, Product.apply(a, at, w1)) + b1)
                h = torch.nn.functional.dropout(h, DROPOUT, training)
                return Product.apply(s, s, h @ w2) + b2

            best, since = (-1, 0.0, 0.0), 0
            for _ in range(EPOCHS):
                optimizer.zero_grad()
                torch.nn.functional.cross_entropy(forward(True)[train], y[train]).backward()
                optimizer.step()
                with torch.no_grad():
                    f = forward(False)
                    answers = f.argmax(dim=1)
                    right = int((answers[choose] == y[choose]).sum())
                    loss = float(torch.nn.functional.cross_entropy(f[choose], y[choose]))
                since += 1
                if (right, -loss) > best[:2]:
                    best = (right, -loss, float((answers[test] == y[test]).float().mean()))
                    since = 0
                if since >= PATIENCE:
                    break
            found.add(f"{kind}, decay {decay:g}", best[0], best[2])
