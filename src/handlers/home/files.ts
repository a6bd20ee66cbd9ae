import { document, type Page } from '../../contract/index.ts';
import { SCRIPT } from './script.ts';
import { STYLE } from './style.ts';

/** The files that the page for people needs, by path. They are no operations of the contract. */
export const HOME_FILES: ReadonlyMap<string, () => Page | object> = new Map<string, () => Page | object>([
  ['/home.js', () => ({ contentType: 'text/javascript; charset=utf-8', text: SCRIPT })],
  ['/home.css', () => ({ contentType: 'text/css; charset=utf-8', text: STYLE })],
  ['/openapi.json', () => document],
]);
