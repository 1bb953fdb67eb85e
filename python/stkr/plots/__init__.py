"""Pictures of spectra and selections.

Every function draws into `ax`, or into axes of a new figure, and returns the axes. matplotlib is
imported by the first call, not with the package.
"""

from ._scores import scores
from ._spectrum import spectrum

__all__ = ["scores", "spectrum"]
