"""Writes the pixels of MNIST, 70,000 x 784 bytes, compressed; and unpacks them for bench/cuda/neighbors.cpp.

    python3 bench/cuda/neighbors_data.py DIR mnist.xz          DIR holds mnist_*.npz
    python3 bench/cuda/neighbors_data.py mnist.xz mnist.u8
"""

import lzma
import pathlib
import struct
import sys
import zipfile


def array_bytes(archive, name):
    with zipfile.ZipFile(archive) as members, members.open(name + ".npy") as member:
        content = member.read()
    length = struct.unpack("<H", content[8:10])[0]
    header = content[10 : 10 + length]
    if b"'|u1'" not in header:
        raise SystemExit(f"{archive}: {name} is not uint8: {header!r}")
    return content[10 + length :]


source, target = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
if source.is_dir():
    parts = [f"mnist_train_{i}of3.npz" for i in (1, 2, 3)] + ["mnist_test.npz"]
    pixels = b"".join(array_bytes(source / part, "X") for part in parts)
    if len(pixels) != 70000 * 784:
        raise SystemExit(f"{len(pixels)} bytes; expected 70,000 x 784")
    target.write_bytes(lzma.compress(pixels, preset=2))
else:
    target.write_bytes(lzma.decompress(source.read_bytes()))
