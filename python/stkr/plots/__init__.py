"""Pictures of spectra, selections and embeddings.

Every function draws into `ax`, or into axes of a new figure, and returns the axes. matplotlib is
imported by the first call, not with the package.
"""

from ._embedding import embedding
from ._scores import scores
from ._spectrum import spectrum

__all__ = ["embedding", "scores", "spectrum"]
