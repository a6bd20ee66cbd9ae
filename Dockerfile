# The console in the browser. Its tools stay in this stage.
FROM node:24-slim AS console
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY tsconfig.json ./
COPY console ./console
COPY src/contract ./src/contract
RUN npm run console

FROM node:24-slim
WORKDIR /app
COPY package.json package-lock.json ./
# The base image brings Node, so the optional packages that install it are left out.
RUN npm ci --omit=dev --omit=optional --ignore-scripts
COPY openapi.yaml operator.openapi.yaml ./
COPY src ./src
COPY --from=console /app/dist/console ./dist/console
RUN mkdir /data && chown node /data
USER node
CMD ["node", "src/main.ts"]
