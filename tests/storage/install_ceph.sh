#!/bin/sh
# Installs Ceph's object gateway on Debian, for the tests that want a second S3 server (as root).
set -eu
apt-get update -qq
apt-get install --yes --quiet --no-install-recommends radosgw ceph-mon ceph-osd ceph-common
