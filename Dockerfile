# The server in an image without a shell, a package manager or root.
#
#   docker build --tag minutes .
#   docker run --read-only --tmpfs /tmp --volume minutes:/data --publish 127.0.0.1:3000:3000 minutes
#
# With `--target with-ffmpeg`, it takes long recordings, too, and is twice as large.
#
# The bases are pinned by digest. `deploy/check-digests` says whether a registry still has them and what the tags mean now;
# deploy/check-image runs the commands of both stages without Docker.
ARG BUILD_IMAGE=node:24-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6
ARG RUNTIME_IMAGE=gcr.io/distroless/nodejs24-debian12:nonroot@sha256:14d42e2511532589a7c7e01a753667a74fcc96266e137e8125006b87b0c32d0a

FROM ${BUILD_IMAGE} AS build
WORKDIR /build
COPY . .
RUN npx -y pnpm@10.34.9 install --prod --frozen-lockfile && node scripts/packaging/pack.js /pack && mkdir /data

FROM ${RUNTIME_IMAGE} AS server
COPY --from=build /pack/package /app
# The only place that the server writes to.
COPY --from=build --chown=65532:65532 /data /data
# Threads that compile the embedded engine share their memory: 30 to 60 MB less at rest.
ENV NODE_ENV=production \
    MALLOC_ARENA_MAX=2 \
    HOST=0.0.0.0 \
    PORT=3000 \
    DATA_DIR=/data \
    MINUTES_COMMAND="docker exec minutes /nodejs/bin/node /app/server/bin/minutes.js"
USER 65532:65532
WORKDIR /data
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 CMD ["/nodejs/bin/node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Without a shell in between, signals reach the server. `docker run … minutes doctor` runs another command.
ENTRYPOINT ["/nodejs/bin/node", "/app/server/bin/minutes.js"]
CMD ["start"]

# Debian's ffmpeg, and prlimit, which limits what it takes.
FROM ${BUILD_IMAGE} AS ffmpeg
COPY deploy/collect-programs /usr/local/bin/
RUN apt-get update && apt-get install --yes --no-install-recommends ffmpeg && collect-programs /collected ffmpeg prlimit

FROM server AS with-ffmpeg
COPY --from=ffmpeg /collected /

# Without a target, Docker builds the last stage.
FROM server
