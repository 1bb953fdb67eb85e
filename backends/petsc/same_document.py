#!/usr/bin/env python3
"""Compares the --json of one machine with that of many processes.

Usage: same_document.py ONE MANY [KEY ...]

Texts and counts must be equal, numbers agree to 1e-8. Times, memory, numbers of products, and the KEYs are not
compared.
"""
import json
import math
import sys

IGNORED = {"seconds", "products", "engine", "planned_bytes", "output", "repeat", "iterations", "residuals"}


def same_number(one, many):
    return math.isclose(one, many, rel_tol=1e-8, abs_tol=1e-8)


def same_word(one, many):
    """Whether words of texts are equal, or numbers that agree."""
    try:
        return one == many or same_number(float(one), float(many))
    except ValueError:
        return False


def is_memory(entry):
    """Whether it is the choice that says how the memory is used."""
    return isinstance(entry, dict) and entry.get("what") == "memory"


def difference(one, many, where, ignored):
    """The first difference as text, or None."""
    if isinstance(one, dict) and isinstance(many, dict):
        if set(one) - ignored != set(many) - ignored:
            return f"{where}: keys differ: {sorted((set(one) ^ set(many)) - ignored)}"
        parts = [(f"{where}.{key}", one[key], many[key]) for key in one if key not in ignored]
    elif isinstance(one, list) and isinstance(many, list):
        one, many = ([entry for entry in entries if not is_memory(entry)] for entries in (one, many))
        if len(one) != len(many):
            return f"{where}: {len(one)} and {len(many)} entries"
        parts = [(f"{where}[{k}]", a, b) for k, (a, b) in enumerate(zip(one, many))]
    elif isinstance(one, float) or isinstance(many, float):
        if one is not None and many is not None and same_number(one, many):
            return None
        return f"{where}: {one} and {many}"
    elif isinstance(one, str) and isinstance(many, str):
        words = one.split(), many.split()
        if len(words[0]) == len(words[1]) and all(map(same_word, *words)):
            return None
        return f"{where}: {one!r} and {many!r}"
    else:
        return None if one == many else f"{where}: {one!r} and {many!r}"
    return next(filter(None, (difference(a, b, at, ignored) for at, a, b in parts)), None)


def main():
    with open(sys.argv[1]) as one, open(sys.argv[2]) as many:
        found = difference(json.load(one), json.load(many), "document", IGNORED | set(sys.argv[3:]))
    if found:
        sys.exit(found)


if __name__ == "__main__":
    main()
