FROM node:24-slim
WORKDIR /app
COPY package.json package-lock.json ./
# The base image brings Node, so the optional packages that install it are left out.
RUN npm ci --omit=dev --omit=optional --ignore-scripts
COPY openapi.yaml ./
COPY src ./src
RUN mkdir /data && chown node /data
USER node
CMD ["node", "src/main.ts"]
