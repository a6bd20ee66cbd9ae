# `docker build -t stellar-facilitator .`; docs/operator.md says how to run it. What builds stays in the first stage.
ARG BUILD_IMAGE=node:24-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d
ARG BASE_IMAGE=gcr.io/distroless/nodejs24-debian12:nonroot@sha256:14d42e2511532589a7c7e01a753667a74fcc96266e137e8125006b87b0c32d0a

FROM ${BUILD_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
# The image brings Node, so the package that pins it for npm scripts is not used.
RUN npm ci --ignore-scripts && rm -f node_modules/.bin/node
COPY . .
RUN npm run build && mkdir /data

# Node and the libraries that it needs; no shell, no package manager.
FROM ${BASE_IMAGE}
WORKDIR /app
COPY --from=build /app/package.json /app/LICENSE ./
COPY --from=build /app/dist ./dist
COPY --from=build --chown=1000:1000 /data /data
# On a machine with much memory, Node would collect garbage late.
ENV NODE_ENV=production DB_PATH=/data/catalog.db NODE_OPTIONS=--max-old-space-size=512
# The only folder that is written to: the root file system may be read-only.
VOLUME /data
USER 1000:1000
EXPOSE 4021
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s CMD ["/nodejs/bin/node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 4021}/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Without arguments the service; a tool by its name, such as "accounts list".
ENTRYPOINT ["/nodejs/bin/node", "/app/dist/stellar-facilitator.js"]
