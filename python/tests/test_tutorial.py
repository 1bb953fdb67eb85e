"""docs/tutorial.md: its code prints the outputs that it shows, and draws its pictures."""

import contextlib
import os
import re
import warnings

import pytest
from tutorial import PICTURES, TUTORIAL, difference, run_python, run_shell, steps

pytest.importorskip("matplotlib").use("Agg")
pytestmark = pytest.mark.skipif(
    "STKR_SANITIZE" in os.environ,
    reason="other tests run the same code in less time",
)

TEXT = TUTORIAL.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("tutorial")


@pytest.fixture(scope="module")
def printed(folder):
    """The output of each block of Python."""
    result, namespace = [], {}
    with contextlib.chdir(folder), warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        warnings.simplefilter("ignore", RuntimeWarning)  # from LabelSpreading, as described
        for step in steps(TEXT):
            if step.language == "python":
                result.append((step, run_python(step, namespace, TUTORIAL.name)))
    return result


def check(printed, language):
    assert len(printed) == TEXT.count(f"```{language}\n") > 0
    failures = []
    for step, text in printed:
        found = difference(step.output or "", text)
        if found:
            failures.append(f"docs/tutorial.md, line {step.line}: {found}")
    assert not failures, "\n".join(failures)


def test_python_prints_what_the_page_shows(printed):
    check(printed, "python")


def test_the_command_prints_what_the_page_shows(printed, folder, command):
    """With the files that the blocks of Python wrote."""
    shell = [step for step in steps(TEXT) if step.language == "sh"]
    with contextlib.chdir(folder):
        check([(step, run_shell(step, command)) for step in shell], "sh")


def test_pictures(printed, folder):
    shown = set(re.findall(r"!\[[^]]+\]\(tutorial/([^)]+)\)", TEXT))
    assert shown == {path.name for path in folder.glob("*.png")}
    assert shown == {path.name for path in PICTURES.iterdir()}
    for name in shown:
        assert (PICTURES / name).stat().st_size <= 60_000, name


@pytest.mark.parametrize(
    "expected, found, same",
    [
        ("STKR 95.7% in 0.3 s", "STKR  94.1% in 12 s", True),
        ("STKR 95.7%", "STKR 93.5%", False),
        ("100 labeled", "101 labeled", False),
        ("share 0.98", "share 0.979", True),
        ("share 0.98", "share 0.97", False),
        ("cg: 107 iterations, residual 9.4e-09", "cg: 109 iterations, residual 1e-08", True),
        ("minres: converged", "cg: converged", False),
        ("one\ntwo", "one", False),
    ],
)
def test_what_counts_as_the_same(expected, found, same):
    assert (difference(expected, found) is None) == same
