import Koa from 'koa';

const first = new Koa();

/**
 * Makes an app whose contexts are built like those of any other app here. Koa gives each app prototypes of its own, and
 * V8 runs code more slowly once it has met objects with different prototypes: a scrape of the operator's port would
 * make each verify dearer.
 */
export function createKoa(): Koa {
  const app = new Koa();
  app.context = first.context;
  app.request = first.request;
  app.response = first.response;
  return app;
}
