/** Serves the console's files, which `npm run console` builds. */
import { readFileSync } from 'node:fs';
import Router from '@koa/router';
import type { Middleware } from 'koa';
import { PACKAGE_ROOT } from '../process/packageRoot.ts';

export type Pages = Middleware;

/** The files of the console and their media types, by path. */
const FILES = {
  '/': ['index.html', 'text/html; charset=utf-8'],
  '/console.js': ['console.js', 'text/javascript; charset=utf-8'],
  '/console.css': ['console.css', 'text/css; charset=utf-8'],
  '/favicon.svg': ['favicon.svg', 'image/svg+xml'],
} as const;

const FOLDER = new URL('dist/console/', PACKAGE_ROOT);

export function createPages(folder: URL = FOLDER): Pages {
  const router = new Router();
  for (const [path, [name, type]] of Object.entries(FILES)) {
    const content = readIfThere(new URL(name, folder));
    router.get(path, (ctx) => {
      if (content === undefined) {
        ctx.status = 404;
        ctx.type = 'text';
        ctx.body = 'The console is not built.\n';
        return;
      }
      ctx.set('content-type', type);
      ctx.body = content;
    });
  }
  return router.routes() as Middleware;
}

function readIfThere(url: URL): Buffer | undefined {
  try {
    return readFileSync(url);
  } catch {
    return undefined;
  }
}
