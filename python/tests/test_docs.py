"""Runs the examples in docstrings, docs/python.md and the README."""

import doctest
import importlib
import pkgutil
import re
import warnings

import pytest
from tutorial import DOCS, run_python, steps

import stkr

pytest.importorskip("matplotlib").use("Agg")

FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
MODULES = ["stkr"] + [found.name for found in pkgutil.walk_packages(stkr.__path__, "stkr.")]
# Public modules without functions to call, or whose examples would need the paper's graphs.
WITHOUT_EXAMPLES = {"stkr", "stkr.exceptions", "stkr.plots", "stkr.reproduction"}


def needs_examples(module):
    """Whether a module is public or has a plot."""
    name = module.rpartition(".")[2]
    if module.startswith("stkr.plots."):
        return name.removeprefix("_") in stkr.plots.__all__
    return not name.startswith("_") and module not in WITHOUT_EXAMPLES


@pytest.mark.parametrize("module", MODULES)
def test_docstrings(module):
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        result = doctest.testmod(importlib.import_module(module), optionflags=FLAGS)
    assert result.failed == 0
    assert result.attempted > 0 or not needs_examples(module), f"{module} has no examples"


def test_the_python_page():
    path = DOCS / "python.md"
    text = path.read_text(encoding="utf-8")
    # Replace each fence by an empty line, which ends an output.
    text = re.sub(r"^```.*$", "", text, flags=re.M)
    page = doctest.DocTestParser().get_doctest(text, {}, path.name, str(path), 0)
    assert len(page.examples) > 20
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        result = doctest.DocTestRunner(optionflags=FLAGS).run(page)
    assert result.failed == 0


def test_the_readme():
    path = DOCS.parent / "README.md"
    blocks = [s for s in steps(path.read_text(encoding="utf-8")) if s.language == "python"]
    assert blocks
    namespace = {}
    for block in blocks:
        run_python(block, namespace, path.name)
    assert (namespace["clf"].transduction_ == namespace["y"]).mean() > 0.88


def test_links_lead_somewhere():
    for page in [DOCS.parent / "README.md", *DOCS.glob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
