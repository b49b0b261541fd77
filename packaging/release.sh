#!/bin/sh
# Writes byoc-VERSION.tar.gz of a commit, and its SHA-256 beside it: the same bytes wherever it is run.
#
# usage: packaging/release.sh [COMMIT [FOLDER]]
set -eu
commit=${1:-HEAD}
folder=$(cd "${2:-.}" && pwd)
cd "$(dirname "$0")/.."
version=$(git show "$commit:CMakeLists.txt" | sed -n 's/^project(byoc VERSION \([0-9.]*\) .*/\1/p')
[ -n "$version" ] || { echo "release.sh: $commit names no version in CMakeLists.txt" >&2; exit 1; }
name=byoc-$version
git -c tar.umask=0022 archive --format=tar --prefix="$name/" "$commit" | gzip -9n >"$folder/$name.tar.gz"
(cd "$folder" && sha256sum "$name.tar.gz" >"$name.tar.gz.sha256" && cat "$name.tar.gz.sha256")
