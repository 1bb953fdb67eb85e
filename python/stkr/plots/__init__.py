"""Pictures of spectra, selections, embeddings and learning curves.

Every function draws into `ax`, or into axes of a new figure, and returns the axes. matplotlib is
imported by the first call, not with the package.
"""

from ._embedding import embedding
from ._learning_curve import learning_curve
from ._scores import scores
from ._spectrum import spectrum

__all__ = ["embedding", "learning_curve", "scores", "spectrum"]
