# shellcheck shell=bash disable=SC2154
# One signal ends every command, before anything is written.
mkdir results
# interrupted ARGUMENTS...: sends SIGTERM, because bash lets background jobs ignore SIGINT.
interrupted() {
  "$stkr" "$@" >out 2>err &
  local started=$! code begin
  sleep 0.4
  begin=$SECONDS
  kill -TERM $started
  wait $started
  code=$?
  last="stkr $*"
  [[ $code == 130 ]] || fail "$last, interrupted: exit $code: $(cat err)"
  says 'interrupted; nothing was written'
  ((SECONDS - begin < 6)) || fail "$last continued for $((SECONDS - begin)) s"
  only results ''
}

interrupted data make block-model -o results/graph.npz --blocks 30000,30000,30000
# A reader waits forever for a writer that sends nothing.
mkfifo slow.csv
exec 7<>slow.csv
printf 'a,b\n1,2\n' >&7
interrupted data info slow.csv
printf 'a,b\n1,2\n' >&7
interrupted data convert slow.csv results/points.npz
printf 'a,b\n1,2\n' >&7
interrupted plan slow.csv
exec 7>&-
