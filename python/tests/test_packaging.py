"""Packages built by pip: wheel, editable installation and source distribution."""

import base64
import csv
import email
import hashlib
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.skipif("STKR_SANITIZE" in os.environ,
                       reason="the sanitizer would check pip and CMake, not the package"),
    pytest.mark.skipif("STKR_BUILD_DIR" not in os.environ,
                       reason="STKR_BUILD_DIR must name a build tree; without it, the whole "
                              "library would be compiled"),
]  # fmt: skip

ROOT = Path(__file__).resolve().parents[2]
MODULE = "_core" + sysconfig.get_config_var("EXT_SUFFIX")
# The environment of the tests must not determine which stkr is imported.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


def run(*command):
    finished = subprocess.run(list(map(str, command)), env=ENVIRONMENT, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert finished.returncode == 0, finished.stdout
    return finished.stdout


def pip(*arguments):
    return run(sys.executable, "-m", "pip", *arguments)


def offline_build():
    """pip's options to build in the build tree of the tests, without a network."""
    return ["--no-index", "--no-build-isolation",
            f"--config-settings=build-dir={os.environ['STKR_BUILD_DIR']}"]


def build_wheel(folder):
    pip("wheel", *offline_build(), "--no-deps", "--wheel-dir", folder, ROOT)
    (path,) = folder.iterdir()
    return path


@pytest.fixture(scope="module")
def version():
    cache = Path(os.environ["STKR_BUILD_DIR"], "CMakeCache.txt").read_text()
    return re.search(r"^CMAKE_PROJECT_VERSION:STATIC=(.+)$", cache, re.MULTILINE)[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return build_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def content(wheel):
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture
def venv(tmp_path):
    """The Python of an empty environment that sees the system's NumPy, SciPy and scikit-learn."""
    folder = tmp_path / "venv"
    run(sys.executable, "-m", "venv", "--system-site-packages", "--without-pip", folder)
    return folder / "bin" / "python"


@pytest.fixture
def backend(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "python" / "build_backend")
    import stkr_build

    return stkr_build


def files_of_the_package(root):
    """Paths of the package's sources, including subpackages, relative to root/python."""
    paths = (root / "python" / "stkr").rglob("*")
    return {path.relative_to(root / "python").as_posix() for path in paths
            if path.is_file() and "__pycache__" not in path.parts}


def imported(python):
    """Version and folder of the stkr that this Python imports."""
    program = "import stkr; print(stkr.__version__, stkr.__file__, stkr._core.__file__, sep='\\n')"
    version, package, module = run(python, "-c", program).splitlines()
    assert Path(package).parent == Path(module).parent
    return version, Path(package).parent


def test_wheel_is_named_by_version_and_tag(wheel, content, version):
    tag = email.message_from_bytes(content[f"stkr-{version}.dist-info/WHEEL"])["Tag"]
    assert wheel.name == f"stkr-{version}-{tag}.whl"
    assert tag.startswith(f"cp{sys.version_info.major}{sys.version_info.minor}-")


def test_wheel_holds_the_package_the_module_and_the_license(content, version):
    info = f"stkr-{version}.dist-info"
    assert content.keys() == {
        *files_of_the_package(ROOT),
        f"stkr/{MODULE}",
        *(f"{info}/{name}" for name in ("METADATA", "WHEEL", "RECORD", "licenses/LICENSE")),
    }
    assert content[f"{info}/licenses/LICENSE"] == (ROOT / "LICENSE").read_bytes()


def test_record_lists_every_file_with_its_hash(content, version):
    record = f"stkr-{version}.dist-info/RECORD"
    rows = {name: rest for name, *rest in csv.reader(content[record].decode().splitlines())}
    assert rows.pop(record) == ["", ""]
    expected = {}
    for name, data in content.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        expected[name] = [f"sha256={digest}", str(len(data))]
    del expected[record]
    assert rows == expected


def test_metadata_says_what_the_package_needs(content, version):
    metadata = email.message_from_bytes(content[f"stkr-{version}.dist-info/METADATA"])
    assert metadata["Name"] == "stkr"
    assert metadata["Version"] == version
    assert metadata["License-Expression"] == "MIT"
    assert metadata["License-File"] == "LICENSE"
    assert metadata["Requires-Python"] == ">=3.11"
    needs = metadata.get_all("Requires-Dist")
    assert [re.match("[a-z-]+", need)[0] for need in needs] == [
        "numpy", "scipy", "scikit-learn", "matplotlib"]  # fmt: skip
    assert needs[-1].endswith('; extra == "plot"')
    assert metadata.get_payload() == (ROOT / "README.md").read_text()


def test_wheel_has_the_same_bytes_again(wheel, tmp_path):
    assert build_wheel(tmp_path).read_bytes() == wheel.read_bytes()


def test_wheel_installs_and_imports(wheel, venv, version):
    # With dependencies: the system's packages must satisfy those of the metadata.
    pip("--python", venv, "install", "--no-index", wheel)
    installed, folder = imported(venv)
    assert installed == version
    assert venv.parents[1] in folder.parents


def test_editable_installation_imports_the_build_tree(venv, version):
    pip("--python", venv, "install", *offline_build(), "--editable", ROOT)
    assert imported(venv) == (version, Path(os.environ["STKR_BUILD_DIR"], "python", "stkr"))


def test_source_distribution_holds_all_that_cmake_asks_for(backend, tmp_path, version):
    name = backend.build_sdist(tmp_path)
    assert name == f"stkr-{version}.tar.gz"
    with tarfile.open(tmp_path / name) as archive:
        archive.extractall(tmp_path)
    source = tmp_path / f"stkr-{version}"
    assert f"\nVersion: {version}\n" in (source / "PKG-INFO").read_text()
    assert os.access(source / "scripts" / "prepare", os.X_OK)
    # Configuring fails if a source is missing, including those of tests and benchmarks.
    run("cmake", "-S", source, "-B", tmp_path / "build", "-DSTKR_BUILD_BENCHMARKS=ON",
        f"-DPython_EXECUTABLE={sys.executable}")
    assert files_of_the_package(source) == files_of_the_package(ROOT)


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"nativ": "off"}, "unknown config setting nativ; expected build-dir, native or"),
        ({"native": "no"}, "native is 'no'; expected on or off"),
    ],
)
def test_settings_that_do_not_exist_are_refused(backend, tmp_path, settings, message):
    with pytest.raises(SystemExit, match=message):
        backend.build_wheel(tmp_path, settings)


def test_missing_cmake_is_named_with_its_package(backend, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemExit, match="cmake was not found. On Debian: apt-get install cmake"):
        backend.build_wheel(tmp_path, {"build-dir": str(tmp_path / "build")})


def test_missing_pybind11_is_named_with_its_package(backend, tmp_path, capfd):
    settings = {"build-dir": str(tmp_path / "build"),
                "cmake-args": "-DCMAKE_DISABLE_FIND_PACKAGE_pybind11=ON"}
    with pytest.raises(SystemExit, match="docs/python.md lists the Debian packages"):
        backend.build_wheel(tmp_path, settings)
    output = " ".join(capfd.readouterr().err.split())
    assert "pybind11 2.10 or newer was not found. On Debian: apt-get install" in output


def test_build_tree_of_another_python_is_refused(backend, tmp_path, monkeypatch):
    suffix = ".cpython-399.so"
    monkeypatch.setattr(backend.sysconfig, "get_config_var", {"EXT_SUFFIX": suffix}.get)
    with pytest.raises(SystemExit, match="configured for a different Python"):
        backend.build_wheel(tmp_path, {"build-dir": os.environ["STKR_BUILD_DIR"]})
