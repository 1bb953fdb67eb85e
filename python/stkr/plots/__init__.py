"""Plots of spectra, selections, embeddings, learning curves and contributions of labels.

Every function draws into `ax`, or into the axes of a new figure, and returns the axes. The first
call imports matplotlib, not the package.
"""

from ._contributions import contributions
from ._embedding import embedding
from ._learning_curve import learning_curve
from ._scores import scores
from ._spectrum import spectrum

__all__ = ["contributions", "embedding", "learning_curve", "scores", "spectrum"]
