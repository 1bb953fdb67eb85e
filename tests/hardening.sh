#!/usr/bin/env bash
# Checks that a program or module was compiled and linked with hardening options.
# Usage: hardening.sh READELF FILE
set -uo pipefail
readelf=$1
file=$2
failures=0

# has WHAT PATTERN OPTION...: readelf OPTION... shows a line that matches PATTERN.
has() {
  if ! "$readelf" -W "${@:3}" "$file" | grep -E -- "$2" >/dev/null; then
    echo "FAILED: $file: no $1"
    failures=$((failures + 1))
  fi
}

has 'position-independent code' 'Type: +DYN' --file-header
has 'read-only relocations' 'GNU_RELRO' --program-headers
has 'immediate binding' 'BIND_NOW|FLAGS_1.*NOW' --dynamic
has 'non-executable stack' 'GNU_STACK.* RW +0x' --program-headers
has 'stack protector' '__stack_chk_fail' --dyn-syms
has 'fortified function' '__[a-z_]+_chk(@|$| )' --dyn-syms
exit $((failures > 0))
