#!/usr/bin/python3
"""Measures `stkr fit --engine petsc` beside `stkr fit` on generated graphs (docs/distributed.md).

    bench/distributed.py make GRAPH.npz --nodes 1000000 --degree 20    one graph, in bounded memory
    bench/distributed.py make FOLDER --parts 16 --nodes 25000000       the same graph in a folder of parts
    bench/distributed.py compare GRAPH.npz --ranks 2                   one process and many, the same fit
    bench/distributed.py scale --nodes 500000 --ranks 1,2,4            a graph per number of processes

Run it with the program that was built: --stkr build/release/bin/stkr.
"""
import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import zipfile

import numpy as np
from numpy.lib import format as npy

CHUNK = 1 << 18  # rows at a time
FIT = ["--transform", "inverse-laplacian", "--eta", "0.9", "--ridge", "0.1"]


def offsets(nodes, degree, near):
    """Distances of the neighbors: each node i is joined to i ± each of them, modulo `nodes`."""
    rng = np.random.default_rng(1)
    count = degree // 2
    close = int(round(near * count))
    short = rng.choice(np.arange(1, max(nodes // 1000, count + 2)), close, replace=False)
    long = rng.choice(np.arange(nodes // 1000 + count + 2, nodes // 2 - 1), count - close, replace=False)
    return np.concatenate([short, long])


def write_array(archive, name, dtype, shape, chunks):
    with archive.open(name + ".npy", "w", force_zip64=True) as out:
        npy.write_array_header_1_0(out, {"descr": npy.dtype_to_descr(np.dtype(dtype)), "fortran_order": False,
                                         "shape": shape})
        for chunk in chunks:
            out.write(np.ascontiguousarray(chunk, dtype=dtype).tobytes())


class Ring:
    """A graph of classes on a ring: near neighbors share a class, far ones need not."""

    def __init__(self, nodes, degree, near, classes):
        self.nodes, self.classes = nodes, classes
        self.step = offsets(nodes, degree, near)
        self.degree = 2 * len(self.step)

    def rows(self, first=0, end=None):
        end = self.nodes if end is None else end
        for at in range(first, end, CHUNK):
            yield np.arange(at, min(at + CHUNK, end), dtype=np.int64)

    def columns(self, first, end):
        for i in self.rows(first, end):
            near_and_far = np.concatenate([i[:, None] + self.step, i[:, None] - self.step], axis=1) % self.nodes
            near_and_far.sort(axis=1)
            yield near_and_far

    def labels(self):
        rng = np.random.default_rng(2)
        for i in self.rows():
            yield np.where(rng.random(len(i)) < min(2000 / self.nodes, 0.1), i * self.classes // self.nodes, -1)

    def write_rows(self, archive, first, end, prefix=""):
        """Rows [first, end) as CSR arrays."""
        entries = (end - first) * self.degree
        write_array(archive, prefix + "indptr", np.int64, (end - first + 1,),
                    (i * self.degree for i in self.rows(0, end - first + 1)))
        write_array(archive, prefix + "indices", np.int32, (entries,), self.columns(first, end))
        write_array(archive, prefix + "data", np.float64, (entries,),
                    (np.ones((len(i), self.degree)) for i in self.rows(first, end)))
        write_array(archive, prefix + "shape", np.int64, (2,), [np.array([end - first, self.nodes])])

    def write_labels(self, archive):
        write_array(archive, "labels", np.int64, (self.nodes,), self.labels())


def make(path, graph):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        graph.write_rows(archive, 0, graph.nodes, "adj_")
        graph.write_labels(archive)


def make_parts(folder, graph, count):
    """A folder of parts (docs/formats.md)."""
    os.mkdir(folder)

    def write(name, fill):
        path = os.path.join(folder, name)
        with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
            fill(archive)
            crc = {member.filename.removesuffix(".npy"): member.CRC for member in archive.infolist()}
        return {"file": name, "bytes": os.path.getsize(path), "crc32": crc}

    manifest = {"format": "stkr graph parts", "version": 1, "shape": [graph.nodes, graph.nodes],
                "entries": graph.nodes * graph.degree, "parts": []}
    for k in range(count):
        first, end = graph.nodes * k // count, graph.nodes * (k + 1) // count
        part = write(f"part-{k:04}.npz", lambda archive: graph.write_rows(archive, first, end))
        manifest["parts"].append({**part, "rows": end - first, "entries": (end - first) * graph.degree})
    manifest["samples"] = write("samples.npz", graph.write_labels)
    with open(os.path.join(folder, "parts.json"), "w") as out:
        json.dump(manifest, out, indent=1)


def run(command, **environment):
    """Seconds, the JSON document, and the peak memory of the process that was started, in bytes."""
    before = time.monotonic()
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        started = subprocess.Popen(command, stdout=out, stderr=err, env={**os.environ, **environment})
        _, status, used = os.wait4(started.pid, 0)
        seconds = time.monotonic() - before
        started.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        if started.returncode not in (0, 4):
            sys.exit(f"{' '.join(command)}: {started.returncode}\n{err.read()}")
        return seconds, json.load(out), used.ru_maxrss * 1024


def report(what, seconds, document):
    engine = document.get("engine", {})
    exchanged = engine.get("halo_rows")
    print(f"{what:28} {seconds:8.1f} s in all, fit {document['summary']['seconds']:8.1f} s, "
          f"{document['summary']['products']:5} products, "
          f"peak of a process {engine.get('peak_bytes', 0) / 1e9:6.2f} GB"
          + (f", halo {exchanged:,} rows in all" if exchanged is not None else ""), flush=True)


def one(stkr, graph, threads, extra):
    seconds, document, peak = run([stkr, "fit", graph, "-o", "/tmp/bench-one.npz", "--json",
                                   "--threads", str(threads), *FIT, *extra])
    document["engine"] = {"peak_bytes": peak}
    report(f"1 process, {threads} threads", seconds, document)


def many(stkr, graph, ranks, extra):
    command = ["mpirun", "--oversubscribe", "-n", str(ranks), stkr, "fit", graph, "-o", "/tmp/bench-many.npz",
               "--json", "--threads", "1", "--engine", "petsc", *FIT, *extra]
    seconds, document, _ = run(command, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                               OMPI_MCA_mpi_yield_when_idle="1", OMPI_MCA_btl_vader_single_copy_mechanism="none")
    report(f"{ranks} processes", seconds, document)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["make", "compare", "scale"])
    parser.add_argument("graph", nargs="?")
    parser.add_argument("--nodes", type=int, default=1_000_000)
    parser.add_argument("--degree", type=int, default=20)
    parser.add_argument("--near", type=float, default=0.9, help="share of the edges to near nodes")
    parser.add_argument("--classes", type=int, default=10)
    parser.add_argument("--parts", type=int, help="make: write a folder of so many parts")
    parser.add_argument("--ranks", default="2")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--stkr", default="stkr")
    parser.add_argument("fit", nargs="*", help="further options of the fit, after --")
    arguments = parser.parse_args()
    ranks = [int(r) for r in arguments.ranks.split(",")]

    def ring(nodes):
        return Ring(nodes, arguments.degree, arguments.near, arguments.classes)

    if arguments.what == "make":
        graph = ring(arguments.nodes)
        make_parts(arguments.graph, graph, arguments.parts) if arguments.parts else make(arguments.graph, graph)
        print(f"{graph.nodes} nodes, {graph.nodes * graph.degree} entries, "
              f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.2f} GB")
    elif arguments.what == "compare":
        for r in ranks:
            many(arguments.stkr, arguments.graph, r, arguments.fit)
        one(arguments.stkr, arguments.graph, arguments.threads, arguments.fit)
    else:
        for r in ranks:
            graph = f"/tmp/bench-{r}.npz"
            make(graph, ring(r * arguments.nodes))
            many(arguments.stkr, graph, r, arguments.fit)
            os.remove(graph)


if __name__ == "__main__":
    main()
