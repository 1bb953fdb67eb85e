"""Summaries of fits."""

from __future__ import annotations

from typing import Any


class Summary:
    """The choices, the solver's result and the warnings of a fit.

    ``print(summary)`` shows them; every line is also an attribute.

    Attributes
    ----------
    method, transform, solver : str
    converged : bool
    stop_reason : str
        ``"converged"``, ``"max_iterations"``, ...
    iterations : int
    residual : float
        The largest relative residual of any column, recomputed.
    products : int
        Number of block products with the kernel.
    seconds : float
    spectrum : tuple of float
        An interval that contains the eigenvalues of S = K/N.
    beta : float
        The paper's β_n that was used; 0 if the method has none.
    ridge : float
        nβ in units of the mean diagonal of the transformed kernel at the labeled samples.
    ridge_chosen : bool
        Whether the ridge was chosen by leave-one-out.
    approximation_error : float or None
        Of s, if it was approximated by a polynomial.
    answer_error : float or None
        The resulting relative error of f, at most.
    choices : list of (str, str, str)
        Name, value, and the reason if the value was not given.
    warnings : list of str
    message : str
        What happened, and what to try if it went wrong.
    """

    method: str
    transform: str
    solver: str
    converged: bool
    stop_reason: str
    iterations: int
    residual: float
    products: int
    seconds: float
    spectrum: tuple[float, float]
    beta: float
    ridge: float
    ridge_chosen: bool
    approximation_error: float | None
    answer_error: float | None
    choices: list[tuple[str, str, str]]
    warnings: list[str]
    message: str

    def __init__(self, fields: dict[str, Any]) -> None:
        self.__dict__.update(fields)

    def __str__(self) -> str:
        rows = [(what, f"{value}  ({why})" if why else value) for what, value, why in self.choices]
        rows.append(
            (
                "solver",
                f"{self.solver}: {self.stop_reason}, {_count(self.iterations, 'iteration')}, "
                f"residual {self.residual:.1e}",
            )
        )
        if self.approximation_error is not None:
            rows.append(
                (
                    "transform error",
                    f"{self.approximation_error:.1e} at most in s; relative error of f at most "
                    f"{self.answer_error:.1e}",
                )
            )
        rows.append(("work", f"{_count(self.products, 'product')}, {self.seconds:.3g} s"))
        unreached = getattr(self, "unreached", 0)
        if unreached:
            rows.append(("no evidence", f"{unreached} samples that no label reaches"))
        rows += [("warning", text) for text in self.warnings]
        width = max(len(what) for what, _ in rows)
        return "\n".join(f"{what:{width}}  {value}" for what, value in rows)

    def __repr__(self) -> str:
        return f"<Summary {self.method}: {self.stop_reason}, residual {self.residual:.1e}>"


def _count(number: int, what: str) -> str:
    return f"{number} {what}" + ("" if number == 1 else "s")
