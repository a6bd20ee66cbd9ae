/**
 * The script of the page for people: it asks the catalog and shows what it answers. Sellers choose these texts, so they
 * become text nodes only, cut and without hidden characters. A link leads to http and https only.
 */
export const SCRIPT = String.raw`const MOST_CHARACTERS = 500;
const MOST_TERMS = 3;
const DECIMALS = 7;
// Characters that show nothing, break lines, or turn the direction of others, and marks piled on a letter.
const HIDDEN =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}|(?<=\p{M}{2})\p{M}/gu;

const form = document.querySelector('form');
const codes = JSON.parse(form.dataset.assets);
const said = document.querySelector('#said');
const results = document.querySelector('#results');
const more = document.querySelector('#more');
let asked = '';
let cursor = null;
let asking = new AbortController();

form.addEventListener('submit', (event) => {
  event.preventDefault();
  asked = form.elements.query.value;
  cursor = null;
  results.replaceChildren();
  more.hidden = true;
  void search();
});
more.addEventListener('click', () => void search());

/** Asks for the next page. Whatever was asked before no longer counts. */
async function search() {
  asking.abort();
  asking = new AbortController();
  const { signal } = asking;
  said.textContent = 'Searching…';
  const query = new URLSearchParams({ query: asked, ...(cursor !== null && { cursor }) });
  try {
    const response = await fetch(form.action + '?' + query, { signal });
    const body = await response.json();
    if (response.ok) show(body);
    else said.textContent = shown(body?.error?.reason ?? 'The catalog answered ' + response.status + '.');
  } catch {
    if (!signal.aborted) said.textContent = 'The catalog does not answer. Try again later.';
  }
}

function show({ resources, pagination }) {
  results.append(...resources.map(itemOf));
  cursor = pagination.cursor;
  if (cursor === null && document.activeElement === more) said.focus();
  more.hidden = cursor === null;
  const count = results.childElementCount;
  const found = count === 1 ? '1 result' : count + ' results';
  said.textContent = count === 0 ? 'Nothing was found.' : cursor === null ? found : 'The first ' + found;
}

function itemOf({ resource, serviceName, description, accepts }) {
  const item = element('li', element('h3', bdi(serviceName || resource)), element('p', address(resource)));
  if (description) item.append(element('p', bdi(description)));
  for (const terms of accepts.slice(0, MOST_TERMS)) {
    const line = element('p', bdi(priceOf(terms)));
    line.className = 'terms';
    item.append(line);
  }
  return item;
}

function address(text) {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!['http:', 'https:'].includes(url?.protocol)) return bdi(text);
  const link = element('a', bdi(url.href));
  link.href = url.href;
  link.rel = 'noopener noreferrer nofollow';
  return link;
}

function priceOf({ amount, asset, network }) {
  const price =
    Object.hasOwn(codes, asset) && /^\d+$/.test(amount)
      ? decimal(amount) + ' ' + codes[asset]
      : amount + ' base units of ' + asset;
  return price + ' on ' + network;
}

function decimal(amount) {
  const digits = amount.padStart(DECIMALS + 1, '0');
  return (digits.slice(0, -DECIMALS) + '.' + digits.slice(-DECIMALS)).replace(/\.?0+$/, '');
}

/** An element whose text keeps its direction to itself. */
function bdi(text) {
  return element('bdi', shown(text));
}

function element(name, ...content) {
  const made = document.createElement(name);
  made.append(...content);
  return made;
}

function shown(value) {
  const text = String(value);
  const cut = text.length > MOST_CHARACTERS ? text.slice(0, MOST_CHARACTERS) + '…' : text;
  return cut.replace(HIDDEN, '\uFFFD');
}
`;
