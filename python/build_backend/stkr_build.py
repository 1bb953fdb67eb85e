"""The build backend of pyproject.toml (PEP 517 and 660): runs CMake and packages the result.

It imports only the standard library, so `pip install .` downloads no build dependencies. Settings
(`--config-settings=NAME=VALUE`):

build-dir   CMake's build folder (build/wheel). An existing tree given here keeps its options.
native      off: a wheel for every processor of this architecture, not only for this machine's.
cmake-args  additional arguments for configuring CMake, split as by a shell.
"""

import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import tomllib
from pathlib import Path

import stkr_archives as archives
from stkr_archives import Entry

ROOT = Path(__file__).resolve().parents[2]
DEFAULT_BUILD_DIR = "build/wheel"
# Everything needed to build, test and install from a source distribution.
SOURCES = (
    "CMakeLists.txt", "CMakePresets.json", "LICENSE", "README.md", "pyproject.toml", "demo", "test",
    "apps", "backends", "bench", "cmake", "data", "docs", "examples", "fuzz", "include", "python", "scripts",
    "src", "tests",
)  # fmt: skip


def get_requires_for_build_wheel(config_settings=None):
    return []


get_requires_for_build_editable = get_requires_for_build_wheel
get_requires_for_build_sdist = get_requires_for_build_wheel


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    # Without this hook, pip would build the wheel a second time just to read its metadata.
    for name, entry in dist_info_entries().items():
        path = Path(metadata_directory, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(entry.content)
    return dist_info()


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    build_dir = build_package(config_settings)
    with tempfile.TemporaryDirectory() as staging:
        run_cmake("--install", build_dir, "--component", "python", "--prefix", staging)
        require_module(Path(staging), build_dir)
        return write_wheel(wheel_directory, archives.read_tree(Path(staging), ["stkr"]))


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    # The build tree has the module next to links to the sources: adding it to the path suffices.
    build_dir = build_package(config_settings)
    require_module(build_dir / "python", build_dir)
    return write_wheel(wheel_directory, {"stkr.pth": Entry(f"{build_dir}/python\n".encode())})


def build_sdist(sdist_directory, config_settings=None):
    stem = f"stkr-{version()}"
    entries = archives.read_tree(ROOT, SOURCES) | {"PKG-INFO": Entry(metadata().encode())}
    archives.write_sdist(Path(sdist_directory, f"{stem}.tar.gz"), stem, entries)
    return f"{stem}.tar.gz"


def write_wheel(wheel_directory, package):
    path = Path(wheel_directory, f"stkr-{version()}-{wheel_tag()}.whl")
    archives.write_wheel(path, package | dist_info_entries(), f"{dist_info()}/RECORD")
    return path.name


def require_module(folder, build_dir):
    name = "stkr/_core" + sysconfig.get_config_var("EXT_SUFFIX")
    if not (folder / name).is_file():
        fail(f"{build_dir} was configured for a different Python than {sys.executable}: it has no "
             f"{name}. Choose another build-dir")


def build_package(config_settings):
    """Configure if needed, build the module, and return the build tree."""
    settings = dict(config_settings or {})
    given_dir = settings.pop("build-dir", None)
    native = settings.pop("native", None)
    cmake_args = settings.pop("cmake-args", [])
    if settings:
        fail(f"unknown config setting {', '.join(settings)}; expected build-dir, native or "
             "cmake-args")
    if native not in (None, "on", "off"):
        fail(f"the config setting native is {native!r}; expected on or off")

    build_dir = ROOT / (given_dir or DEFAULT_BUILD_DIR)
    cache = build_dir / "CMakeCache.txt"
    if given_dir and cache.is_file():
        arguments = [f"-DSTKR_NATIVE={native}"] if native else []
    else:
        # Keep the object files, but drop the options and the Python of earlier calls.
        cache.unlink(missing_ok=True)
        arguments = [
            *(["-G", "Ninja"] if shutil.which("ninja") else []),
            "-DCMAKE_BUILD_TYPE=Release",
            "-DBUILD_SHARED_LIBS=OFF",
            "-DSTKR_BUILD_PYTHON=ON",
            "-DSTKR_BUILD_APPS=OFF",
            "-DSTKR_BUILD_TESTS=OFF",
            "-DSTKR_BUILD_BENCHMARKS=OFF",
            "-DSTKR_PETSC=OFF",
            f"-DPython_EXECUTABLE={sys.executable}",
            f"-DSTKR_NATIVE={native or 'on'}",
        ]
    for text in [cmake_args] if isinstance(cmake_args, str) else cmake_args:
        arguments += shlex.split(text)
    if arguments:
        run_cmake("-S", ROOT, "-B", build_dir, *arguments)
    run_cmake("--build", build_dir, "--target", "stkr_python")
    return build_dir


def run_cmake(*arguments):
    cmake = shutil.which("cmake")
    if cmake is None:
        fail("cmake was not found. On Debian: apt-get install cmake ninja-build g++; "
             "docs/python.md lists all the packages")
    command = [cmake, *map(str, arguments)]
    print("+", shlex.join(command), flush=True)
    if subprocess.run(command, check=False).returncode != 0:
        fail(f"`{shlex.join(command)}` failed for the reason above. If something was not found, "
             "docs/python.md lists the Debian packages that a build needs")


def fail(message):
    # SystemExit, since the traceback of an error would hide the message in pip's output.
    raise SystemExit(f"stkr: {message}")


def version():
    return re.search(r"^project\(stkr VERSION (\S+)", read("CMakeLists.txt"), re.MULTILINE)[1]


def dist_info():
    return f"stkr-{version()}.dist-info"


def dist_info_entries():
    """Return the files of the dist-info folder, without RECORD."""
    wheel = (f"Wheel-Version: 1.0\nGenerator: stkr_build {version()}\nRoot-Is-Purelib: false\n"
             f"Tag: {wheel_tag()}\n")
    entries = {"METADATA": metadata().encode(), "WHEEL": wheel.encode()}
    for name in project()["license-files"]:
        entries[f"licenses/{name}"] = (ROOT / name).read_bytes()
    return {f"{dist_info()}/{name}": Entry(content) for name, content in entries.items()}


def metadata():
    """Return pyproject.toml's [project] table as core metadata."""
    table = project()
    fields = [
        ("Metadata-Version", "2.4"),
        ("Name", table["name"]),
        ("Version", version()),
        ("Summary", table["description"]),
        ("License-Expression", table["license"]),
        *(("License-File", name) for name in table["license-files"]),
        ("Requires-Python", table["requires-python"]),
        *(("Requires-Dist", need) for need in table["dependencies"]),
    ]
    for extra, needs in table["optional-dependencies"].items():
        fields.append(("Provides-Extra", extra))
        fields += [("Requires-Dist", f'{need}; extra == "{extra}"') for need in needs]
    fields.append(("Description-Content-Type", "text/markdown"))
    head = "".join(f"{name}: {value}\n" for name, value in fields)
    return f"{head}\n{read(table['readme'])}"


def wheel_tag():
    """Return Python, ABI and platform, as in cp311-cp311-linux_x86_64."""
    if sys.implementation.name != "cpython":
        fail(f"this Python is {sys.implementation.name}; expected CPython")
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    platform = re.sub("[-.]", "_", sysconfig.get_platform())
    return f"{python}-{python}{sys.abiflags}-{platform}"


def project():
    return tomllib.loads(read("pyproject.toml"))["project"]


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")
