import { document, type Page } from '../../contract/index.ts';
import { ICON } from './icon.ts';
import { SCRIPT } from './script.ts';
import { STYLE } from './style.ts';

/** The files that the page for people needs, by path. They are no operations of the contract. */
export const HOME_FILES: ReadonlyMap<string, Page> = new Map([
  ['/home.js', { contentType: 'text/javascript; charset=utf-8', text: SCRIPT }],
  ['/home.css', { contentType: 'text/css; charset=utf-8', text: STYLE }],
  // Browsers ask for it beside JSON, too. They go by the type, not by the name.
  ['/favicon.ico', { contentType: 'image/svg+xml', text: ICON }],
  // Written once: it is large, and anybody may ask.
  ['/openapi.json', { contentType: 'application/json; charset=utf-8', text: JSON.stringify(document) }],
]);
