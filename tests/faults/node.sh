#!/bin/bash
# Process 1 of a node: sets up what a machine has of its own, then keeps Ray running, as a
# supervisor does, since a node that was declared dead never rejoins by itself.
# Usage: node.sh NAME HOSTS CACHE OWN_CACHE LOG RAY-START-ARGUMENTS...
set -eu
name=$1 hosts=$2 cache=$3 own_cache=$4 log=$5
shift 5
exec </dev/null >>"$log" 2>&1
hostname "$name"
mount -t tmpfs -o size=512m tmpfs /dev/shm
mount -t tmpfs -o size=2g tmpfs /tmp
mount --bind "$hosts" /etc/hosts
mount --bind /dev/null /etc/resolv.conf
if [ -n "${KG_DISK_MB:-}" ]; then
    mount -t tmpfs -o "size=${KG_DISK_MB}m" tmpfs "$cache"
    cp -a "$own_cache/." "$cache/"
else
    mount --bind "$own_cache" "$cache"
fi
for extra in ${KG_MOUNTS:-}; do mount --bind "${extra%%:*}" "${extra#*:}"; done
cd /
child=
leave() { [ -z "$child" ] || { kill -TERM "$child"; wait "$child"; }; exit 0; }
trap leave TERM
while :; do
    ray start --block "$@" &
    child=$!
    wait "$child" || true
    child=
    echo "ray start has ended; again in 2 s"
    sleep 2
done
