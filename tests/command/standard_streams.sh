# shellcheck shell=bash disable=SC2154
# Closed or full streams: messages are lost, but the run succeeds, and messages do not end up in
# other files.
printf 'x,y,label\n0,0,a\n0,1,a\n5,5,b\n5,6,b\n1,0,\n' >named.csv
printf 'y,x\n0,0\n5,6\n' >swapped.csv
run 0 fit named.csv -o named.npz
run 0 predict named.npz swapped.csv -o answers.csv && says 'matched by name'

# ends CODE WHAT: checks the exit code of the command that was just run directly.
ends() {
  local code=$?
  last=$2
  [[ $code == "$1" ]] || fail "$2 -> exit $code, expected $1: $(cat err)"
}

: >err
"$stkr" predict named.npz swapped.csv -o closed.csv >out 2>&-
ends 0 'predict 2>&-' && same answers.csv closed.csv
"$stkr" predict named.npz swapped.csv -o closed.csv >out 2>/dev/full
ends 0 'predict 2>/dev/full' && same answers.csv closed.csv
"$stkr" fit named.csv -o quiet.npz --memory 1000TB >out 2>/dev/full
ends 0 'fit 2>/dev/full' && same named.npz quiet.npz
"$stkr" fit no_such_file.csv -o quiet.npz 2>&-
ends 3 'fit no_such_file.csv 2>&-'
"$stkr" fit no_such_file.csv -o quiet.npz 2>/dev/full
ends 3 'fit no_such_file.csv 2>/dev/full'
"$stkr" fit 2>&-
ends 2 'fit 2>&-'

# Standard output is a result: exit 1, and the model is complete.
for to in /dev/full closed; do
  rm -f quiet.npz
  if [[ $to == closed ]]; then
    "$stkr" fit named.csv -o quiet.npz >&- 2>err
  else
    "$stkr" fit named.csv -o quiet.npz >$to 2>err
  fi
  ends 1 "fit >$to" && says 'cannot write to standard output'
  same named.npz quiet.npz
done
"$stkr" data list --json >/dev/full 2>err
ends 1 'data list --json >/dev/full' && says 'cannot write to standard output'
"$stkr" --help >/dev/full 2>err
ends 1 '--help >/dev/full' && says 'cannot write to standard output'
"$stkr" fit --help >/dev/full 2>err
ends 1 'fit --help >/dev/full' && says 'cannot write to standard output'
"$stkr" --version >/dev/full 2>err
ends 1 '--version >/dev/full'
rm -f quiet.npz
"$stkr" fit named.csv -o quiet.npz <&- >&- 2>&-
ends 1 'fit <&- >&- 2>&-' && same named.npz quiet.npz

# Warnings do not become part of a checkpoint.
mkdir data
run 0 data make block-model -o data/dblp.npz --blocks 110,110,110,110 --p-in 0.06 --p-out 0.01
"$stkr" reproduce --data data --datasets dblp --seeds 1 --methods LP --checkpoint cells >out 2>&-
ends 0 'reproduce 2>&-'
! grep -v '^{"stkr_cell"' cells || fail 'the checkpoint contains messages'
run 0 reproduce --data data --datasets dblp --seeds 1 --methods LP --checkpoint cells
shows '^0 experiments in'
