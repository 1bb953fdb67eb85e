#!/usr/bin/python3
"""Writes the graph files of this folder with the tools that users have: NetworkX and igraph.

Usage: tests/files/make_graphs.py      recreates them next to this script

A small co-occurrence graph with weights, a class for some nodes, a Unicode name, a node without
edges, and a number for every node.
"""
import gzip
import pathlib

import igraph
import networkx as nx

FOLDER = pathlib.Path(__file__).parent
NODES = ["Valjean", "Javert", "Fantine", "Cosette", "Marius", "Éponine", "Myriel", "Tholomyès"]
EDGES = [("Valjean", "Javert", 17), ("Valjean", "Fantine", 9), ("Valjean", "Cosette", 31),
         ("Javert", "Fantine", 5), ("Cosette", "Marius", 21), ("Marius", "Éponine", 5.5),
         ("Valjean", "Myriel", 5)]
SIDE = {"Valjean": "barricade", "Javert": "law", "Marius": "barricade"}

graph = nx.Graph()
for k, node in enumerate(NODES):
    graph.add_node(node, chapter=k + 1)
    if node in SIDE:
        graph.nodes[node]["side"] = SIDE[node]
for source, target, weight in EDGES:
    graph.add_edge(source, target, weight=weight, kind="scene, chapter")

nx.write_graphml(graph, FOLDER / "networkx.graphml")
nx.write_edgelist(graph, FOLDER / "networkx_data.edgelist")
nx.write_edgelist(graph, FOLDER / "networkx_data.csv", delimiter=",", data=True)
nx.write_weighted_edgelist(graph, FOLDER / "networkx_weighted.edgelist")
nx.write_edgelist(graph, FOLDER / "networkx_plain.edgelist", data=False)
with gzip.GzipFile(FOLDER / "networkx_weighted.edgelist.gz", "wb", mtime=0) as file:
    file.write((FOLDER / "networkx_weighted.edgelist").read_bytes())
nx.write_graphml(nx.DiGraph(graph), FOLDER / "networkx_directed.graphml")

place = {node: k for k, node in enumerate(NODES)}
other = igraph.Graph(len(NODES), [(place[a], place[b]) for a, b, _ in EDGES])
other.vs["name"] = NODES
other.vs["side"] = [SIDE.get(node, "") for node in NODES]
other.es["weight"] = [weight for *_, weight in EDGES]
other.write_graphml(str(FOLDER / "igraph.graphml"))
