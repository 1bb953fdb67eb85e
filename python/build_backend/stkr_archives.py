"""Reproducible wheels and source archives: the bytes depend only on the files in them."""

import base64
import csv
import gzip
import hashlib
import io
import tarfile
import zipfile
from typing import NamedTuple


class Entry(NamedTuple):
    content: bytes
    executable: bool = False

    @property
    def mode(self):
        return 0o755 if self.executable else 0o644


def read_tree(root, names):
    """Read the files and folders `names` below `root` into {path: Entry}."""
    entries = {}
    for name in names:
        top = root / name
        for path in sorted(top.rglob("*")) if top.is_dir() else [top]:
            if path.is_file() and "__pycache__" not in path.parts:
                executable = bool(path.stat().st_mode & 0o100)
                entries[path.relative_to(root).as_posix()] = Entry(path.read_bytes(), executable)
    return entries


def write_wheel(path, entries, record):
    """Write {path: Entry} as a wheel; `record` is the path of its list of hashes (PEP 427)."""
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    for name, entry in entries.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(entry.content).digest())
        writer.writerow([name, f"sha256={digest.rstrip(b'=').decode()}", len(entry.content)])
    writer.writerow([record, "", ""])
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, entry in [*entries.items(), (record, Entry(lines.getvalue().encode()))]:
            info = zipfile.ZipInfo(name)  # dated 1980, the earliest date of the zip format
            info.compress_type = zipfile.ZIP_DEFLATED
            info.create_system = 3  # Unix: external_attr holds the mode
            info.external_attr = (0o100000 | entry.mode) << 16
            wheel.writestr(info, entry.content)


def write_sdist(path, stem, entries):
    """Write {path: Entry} as a .tar.gz with all files below the folder `stem`."""
    with (
        open(path, "wb") as file,
        gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        for name, entry in sorted(entries.items()):
            info = tarfile.TarInfo(f"{stem}/{name}")  # dated 1970
            info.size = len(entry.content)
            info.mode = entry.mode
            archive.addfile(info, io.BytesIO(entry.content))
