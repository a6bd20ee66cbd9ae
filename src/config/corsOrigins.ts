import type { Environment } from './environment.ts';
import type { Report } from './values.ts';

/** Returns the origins of the web pages that may verify and settle, as browsers send them. */
export function readCorsOrigins({ CORS_ORIGINS: text }: Environment, report: Report): string[] {
  const origins = text?.split(',').map((origin) => origin.trim()) ?? [];
  for (const [index, origin] of origins.entries())
    if (!isOrigin(origin))
      report(
        'CORS_ORIGINS',
        `entry ${index + 1} must be an origin as browsers send it, such as https://shop.example or http://localhost:3000: in lower case, with neither a path nor a default port`,
      );
  return origins;
}

function isOrigin(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.parse(text)?.origin === text;
}
