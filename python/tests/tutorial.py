"""Runs the code in documents. As a program, updates outputs and pictures of docs/tutorial.md.

A ```text block after a ```python or ```sh block is the output of that block.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"
TUTORIAL = DOCS / "tutorial.md"
PICTURES = DOCS / "tutorial"

_BLOCK = re.compile(r"^```(python|sh)\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.M | re.S)
_NUMBER = re.compile(r"(\d+(?:\.\d+)?(?:e[-+]?\d+)?)(%| s\b| iterations?| products?)?")
POINTS = 2.0  # percentage points: a few samples near a border may switch sides


@dataclass(frozen=True)
class Step:
    """A block of code, its first line, and the output below it."""

    language: str
    code: str
    line: int
    output: str | None
    span: tuple[int, int]  # of the output in the text


def steps(text: str) -> list[Step]:
    return [
        Step(
            found[1],
            found[2],
            text.count("\n", 0, found.start(2)) + 1,
            found[3],
            found.span(3),
        )
        for found in _BLOCK.finditer(text)
    ]


def run_python(step: Step, namespace: dict, name: str) -> str:
    """Return what the block prints. Tracebacks have the line numbers of the document."""
    code = compile("\n" * (step.line - 1) + step.code, name, "exec")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, namespace)
    return printed.getvalue()


def run_shell(step: Step, command: str) -> str:
    path = os.path.dirname(command) + os.pathsep + os.environ["PATH"]
    done = subprocess.run(
        ["bash", "-euc", step.code],
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(f"{step.code}exited with {done.returncode}: {done.stderr}")
    return done.stdout


def difference(expected: str, found: str) -> str | None:
    """Describe a difference of two outputs beyond the rounding of other processors, or None.

    Words and integers must be equal, percentages within POINTS, other decimals to three digits.
    Times, residuals and numbers of iterations and products are not compared.
    """
    if _NUMBER.sub("#", expected).split() != _NUMBER.sub("#", found).split():
        return f"expected:\n{expected}\nfound:\n{found}"
    for one, other in zip(_NUMBER.finditer(expected), _NUMBER.finditer(found)):
        value, unit = one.groups()
        if unit in (" s", " iterations", " products") or "e" in value:
            continue
        least = POINTS if unit else 0.0
        if "." in value and not unit:
            least = 2e-3 * max(1.0, float(value))
        if abs(float(value) - float(other[1])) > least:
            return f"expected {one[0]}, found {other[0]}, in:\n{found}"
    return None


def write(command: str) -> None:
    """Update the outputs and pictures of the tutorial."""
    text = TUTORIAL.read_text(encoding="utf-8")
    namespace: dict = {}
    outputs = []
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for step in steps(text):
            if step.language == "python":
                printed = run_python(step, namespace, TUTORIAL.name)
            else:
                printed = run_shell(step, command)
            if step.output is None and printed:
                raise RuntimeError(f"line {step.line}: prints, but shows no output: {printed}")
            outputs.append((step, printed))
        PICTURES.mkdir(exist_ok=True)
        for picture in Path(folder).glob("*.png"):
            shutil.copy(picture, PICTURES / picture.name)
    for step, printed in reversed(outputs):
        if step.output is not None:
            begin, end = step.span
            text = text[:begin] + printed + text[end:]
    TUTORIAL.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    write(os.environ.get("STKR_COMMAND") or shutil.which("stkr") or "stkr")
