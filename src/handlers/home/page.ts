import type { SupportedKind } from '../../contract/index.ts';
import type { KnownAsset } from '../../stellar/assets.ts';

export interface PageFacts {
  readonly kind: SupportedKind;
  /** True if verify and settle need a key. */
  readonly requiresKey: boolean;
  /** The assets that the page names. */
  readonly assets: readonly KnownAsset[];
  /** The version of the service. */
  readonly version: string;
}

/**
 * Returns the page for people, in HTML. Its links are relative, so that a proxy may serve it below a path. Without its
 * script, the form leads to the catalog's answer in JSON.
 */
export function renderPage({ kind, requiresKey, assets, version }: PageFacts): string {
  const codes = Object.fromEntries(assets.map(({ contract, code }) => [contract, code]));
  const key = requiresKey ? ' To verify and settle, a seller needs a key from the operator.' : '';
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Stellar payment facilitator</title>
    <link rel="icon" href="favicon.ico" type="image/svg+xml" />
    <link rel="stylesheet" href="home.css" />
    <script type="module" src="home.js"></script>
  </head>
  <body>
    <header>
      <h1>Stellar payment facilitator</h1>
      <p>
        Sellers send this <a href="https://www.x402.org">x402</a> service the payments of their buyers. It checks each
        payment, puts it on the Stellar ledger and pays the network fee. The buyer signs one transfer to the seller, so
        the service never holds the money.
      </p>
    </header>
    <main>
      <section aria-labelledby="find">
        <h2 id="find">Find something to pay for</h2>
        <form role="search" action="discovery/search" data-assets="${escaped(JSON.stringify(codes))}">
          <label for="query">Search the catalog in plain words</label>
          <input id="query" name="query" type="search" required maxlength="1000" autocomplete="off" />
          <button>Search</button>
        </form>
        <p id="said" role="status" tabindex="-1"></p>
        <ol id="results" aria-labelledby="find"></ol>
        <button id="more" type="button" hidden>Show more</button>
      </section>
      <section aria-labelledby="kinds">
        <h2 id="kinds">Payments served</h2>
        <p>
          Scheme <code>${escaped(kind.scheme)}</code> on <code>${escaped(kind.network)}</code>, version
          ${escaped(String(kind.x402Version))} of the protocol.${key}
        </p>
      </section>
      <section aria-labelledby="programs">
        <h2 id="programs">For programs</h2>
        <ul>
          <li><a href="openapi.json">The contract</a> (OpenAPI): how to verify, settle and search, with every code</li>
          <li><a href="supported">What is supported</a>, and the accounts that pay the fees</li>
          <li><a href="discovery/resources">The catalog</a>, page by page</li>
          <li><a href="health">Health and configuration</a></li>
        </ul>
      </section>
    </main>
    <footer>stellar-facilitator ${escaped(version)}</footer>
  </body>
</html>
`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => ENTITIES[character]!);
