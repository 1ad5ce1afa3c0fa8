#!/usr/bin/env bash
# Builds the image and runs it as Kubernetes would: as a user that is not root, with a read-only root file system, and only /data
# and /tmp writable. For machines without Docker: it needs root, and buildah and mmdebstrap of Debian. The base image is built
# from Debian's packages and the Node of node_modules, without a registry of images.
#   deploy/try-image.sh [the folder of a checkout, without node_modules]
set -euo pipefail
export BUILDAH_ISOLATION=chroot STORAGE_DRIVER=vfs
here=$(cd "$(dirname "$0")/.." && pwd)
context=${1:-$here}
certificates=/etc/ssl/certs/ca-certificates.crt
work=$(mktemp -d)

node=$(readlink -f "$here/node_modules/.bin/node")
mmdebstrap --variant=minbase --include=ca-certificates,libstdc++6 bookworm "$work/base.tar"
base=$(buildah from scratch)
buildah add --quiet "$base" "$work/base.tar" /
buildah copy --quiet "$base" "$node" /usr/local/bin/node
buildah copy --quiet "$base" "$(npm root -g)/npm" /usr/local/lib/node_modules/npm
buildah run "$base" -- sh -c 'chmod 755 /usr/local/bin/node
  ln -sf ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm && ln -sf ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx'
# npm trusts the certificates of this machine.
buildah copy --quiet "$base" "$certificates" "$certificates"
buildah config --env "NODE_EXTRA_CA_CERTS=$certificates" "$base"
buildah commit --quiet --rm "$base" localhost/noema-base

buildah bud --pull-never --build-arg NODE_IMAGE=localhost/noema-base --tag localhost/noema "$context"
built=$(buildah from --pull-never localhost/noema)
root=$(buildah mount "$built")
echo "The root file system of the image takes $(du -sm "$root" | cut -f1) MB."

mkdir "$work/image" "$work/data"
chown 10001:10001 "$work/data"
chmod 700 "$work/data"
export root work
# The container has its own mounts, which end with it.
unshare --mount --pid --fork --kill-child bash -euo pipefail <<'END'
mount --bind "$root" "$work/image"
mount -o remount,bind,ro "$work/image"
mount -t tmpfs -o mode=1777 tmpfs "$work/image/tmp"
mount --bind "$work/data" "$work/image/data"
mount --rbind /dev "$work/image/dev"
mount -t proc proc "$work/image/proc"
inside() {
  chroot --userspec=10001:10001 "$work/image" env -i PATH=/usr/local/bin:/usr/bin:/bin NODE_ENV=production NOEMA_HOST=127.0.0.1 \
    NOEMA_PORT=4100 NOEMA_DATA_DIR=/data "$@"
}
if inside touch /app/written 2> /dev/null; then echo 'The root file system can be written to.' && exit 1; fi
inside sh -c 'cd /data && echo $$ > service.pid && exec node --max-semi-space-size=64 --no-parallel-scavenge --no-parallel-marking /app/node_modules/noema/cli/src/main.js serve' &
service=$!
look="fetch('http://127.0.0.1:4100/readyz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"
for _ in $(seq 120); do
  kill -0 "$service" || exit 1
  if inside node -e "$look"; then
    echo "The health check is green; the service runs as $(stat -c %u "$work/image/proc/$(cat "$work/data/service.pid")")."
    inside sh -c 'cd /data && node /app/node_modules/noema/cli/src/main.js keys mint' > /dev/null
    kill -TERM "$(cat "$work/data/service.pid")"
    wait "$service"
    echo "It ended with 0 on SIGTERM."
    exit 0
  fi
  sleep 1
done
exit 1
END
buildah rm "$built" > /dev/null
rm -rf "$work"
