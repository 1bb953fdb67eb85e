# shellcheck shell=bash disable=SC2154
# One signal ends every command, before anything is written.
mkdir results
# interrupted ARGUMENTS...: sends SIGTERM, because bash lets background jobs ignore SIGINT.
interrupted() {
  "$stkr" "$@" <&7 >out 2>err &
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

# A reader waits forever for a writer that sends nothing.
mkfifo slow.csv
exec 7<>slow.csv
interrupted data make block-model -o results/graph.npz --blocks 30000,30000,30000
run 3 data info slow.csv && says 'is a pipe' 'standard input'
printf 'a,b\n1,2\n' >&7
interrupted data info - --format csv
printf 'a,b\n1,2\n' >&7
interrupted data convert - results/points.npz --input-format csv
printf 'a,b\n1,2\n' >&7
interrupted plan - --format csv
exec 7>&-
