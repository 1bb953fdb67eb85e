"""_core.pyi declares exactly what the compiled module has."""

import ast
import inspect
from pathlib import Path

import stkr
from stkr import _core


def public(names):
    return {name for name in names if not name.startswith("_")}


def stub():
    path = Path(stkr.__file__).with_name("_core.pyi")
    return ast.parse(path.read_text(encoding="utf-8"))


def declared(body):
    names = set()
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.AnnAssign):
            names.add(node.target.id)
    return public(names)


def test_the_module():
    assert declared(stub().body) == public(vars(_core))


def test_every_class():
    for node in stub().body:
        if not isinstance(node, ast.ClassDef) or node.name == "DataError":
            continue
        assert declared(node.body) == public(vars(getattr(_core, node.name))), node.name


def test_parameters_of_functions():
    for node in stub().body:
        if isinstance(node, ast.FunctionDef):
            text = getattr(_core, node.name).__doc__
            names = [argument.arg for argument in node.args.args]
            if "arg0" not in text:
                assert all(f"{name}:" in text for name in names), node.name


def test_the_package_is_typed():
    assert Path(stkr.__file__).with_name("py.typed").exists()
    for name in stkr.__all__:
        value = getattr(stkr, name)
        if inspect.isfunction(value) or inspect.isclass(value):
            assert inspect.getdoc(value), name
