# What the tests of commands on many processes share. Sourced with the arguments STKR MPIEXEC GROUP.
set -uo pipefail
stkr=$1
mpiexec=$2
group=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failures=0

fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

# engine RANKS ARGUMENT...: stkr on so many processes.
engine() {
  local ranks=$1
  shift
  "$mpiexec" --quiet --oversubscribe -n "$ranks" "$stkr" "$@" --engine petsc
}

# same A B: whether two files of answers agree: texts exactly, numbers to 1e-8.
same() {
  paste -d '\n' <(tr ',' '\n' <"$1") <(tr ',' '\n' <"$2") | awk '
    NR % 2 { a = $0; next }
    a == $0 { next }
    a + 0 != a || $0 + 0 != $0 { print "found " $0 ", expected " a; bad = 1; exit }
    { d = a - $0; if (d < 0) d = -d; s = a < 0 ? -a : a; if (d > 1e-8 * (s + 1)) { print "found " $0 ", expected " a; bad = 1; exit } }
    END { exit bad }'
}

# The words of a page, without the facts about this run.
page_words() {
  sed -e 's/<[^>]*>/ /g' -e 's/one\.\(npz\|html\|csv\|svg\)/many.\1/g' -e 's/ --engine petsc//g' -e 's/in [0-9.]* s\.//' "$1" |
    grep -v 'residual\|memory' | tr ' ' ','
}

# number KEY FILE: the first number of that key in a document of --json.
number() {
  grep -m1 "\"$1\":" "$2" | tr -dc '0-9.'
}

# A planted graph of some communities, and one with many small components.
make_graphs() {
  awk 'BEGIN { srand(3); for (k = 0; k < 4000; ++k) { i = int(rand() * 900); j = int(rand() * 300) * 3 + i % 3
         if (rand() < 0.1) j = int(rand() * 900); if (i != j) print i "\t" j } }' >edges.tsv
  awk 'BEGIN { for (i = 0; i < 900; ++i) print (i % 37 == 5 ? i % 3 : -1) }' >labels.txt
  "$stkr" data convert edges.tsv graph.npz --labels labels.txt -q || fail "convert"
}

# with_features GRAPH NEW NODES: a graph file that also has features of its nodes.
with_features() {
  python3 - "$@" <<'END' || fail "features"
import struct, sys, zipfile
graph, new, nodes = sys.argv[1], sys.argv[2], int(sys.argv[3])
head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({nodes}, 2), }}".ljust(117) + "\n"
with zipfile.ZipFile(graph) as old, zipfile.ZipFile(new, "w") as file:
    for name in old.namelist():
        file.writestr(name, old.read(name))
    file.writestr("X.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode()
                  + struct.pack(f"<{2 * nodes}d", *(i % 7 for i in range(2 * nodes))))
END
}

# expect_once TEXT COMMAND...: the command ends well, and what all processes print has such a line once.
expect_once() {
  local text=$1
  shift
  "$@" >out.txt 2>&1 || fail "$*: $(cat out.txt)"
  (($(grep -c -- "$text" out.txt) == 1)) || fail "$*: expected one line with '$text': $(head -c 500 out.txt)"
}

# expect_code CODE TEXT COMMAND...: the exit code, and a message that the first process writes once.
expect_code() {
  local code=$1 text=$2
  shift 2
  "$@" >out.txt 2>err.txt
  local found=$?
  ((found == code)) || fail "$*: exit code $found, expected $code: $(cat err.txt)"
  (($(grep -cF -- "$text" err.txt) == 1)) || fail "$*: expected one message with '$text': $(cat err.txt)"
  [[ ! -f kept.npz || $(head -c 6 kept.npz) == before ]] || fail "$*: the output was touched"
}

run_group() {
  "test_$group"
  exit $((failures > 0))
}
