#!/usr/bin/env bash
# Whether a program or module was linked and compiled to fail safely.
# Usage: hardening.sh READELF FILE
set -uo pipefail
readelf=$1
file=$2
failures=0

# has WHAT PATTERN OPTION...: readelf OPTION... shows a line of that pattern.
has() {
  if ! "$readelf" -W "${@:3}" "$file" | grep -E -- "$2" >/dev/null; then
    echo "FAILED: $file: no $1"
    failures=$((failures + 1))
  fi
}

has 'position-independent code' 'Type: +DYN' --file-header
has 'read-only relocations' 'GNU_RELRO' --program-headers
has 'immediate binding' 'BIND_NOW|FLAGS_1.*NOW' --dynamic
has 'stack that is not executable' 'GNU_STACK.* RW +0x' --program-headers
has 'stack protector' '__stack_chk_fail' --dyn-syms
has 'fortified function' '__[a-z_]+_chk(@|$| )' --dyn-syms
exit $((failures > 0))
