/** The style of the page for people, in CSS. */
export const STYLE = `:root {
  color-scheme: light dark;
  --ground: light-dark(#f4f6f8, #11151a);
  --panel: light-dark(#ffffff, #191f26);
  --line: light-dark(#d5dbe1, #313b45);
  --ink: light-dark(#1a2027, #e5e9ed);
  --soft: light-dark(#55606b, #a3aeb9);
  --link: light-dark(#0b57a4, #84bdff);
  font: 16px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif;
  color: var(--ink);
  background: var(--ground);
  -webkit-text-size-adjust: 100%;
}
*, *::before, *::after { box-sizing: border-box; }
body { max-width: 46rem; margin: 0 auto; padding: 1.5rem 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0; }
h2 { font-size: 1.1rem; margin: 0 0 0.5rem; }
h3 { font-size: 1rem; margin: 0; }
p, ul, ol { margin: 0.5rem 0; }
a { color: var(--link); text-underline-offset: 2px; }
code { font-family: ui-monospace, 'SF Mono', 'Cascadia Mono', 'DejaVu Sans Mono', monospace; font-size: 0.9em; }
bdi { unicode-bidi: isolate; }
section {
  margin: 1.25rem 0;
  padding: 1rem;
  background: var(--panel);
  border: 1px solid var(--line);
  border-radius: 8px;
}
form { display: flex; flex-wrap: wrap; gap: 0.5rem; }
label { flex: 1 0 100%; }
input { flex: 1 1 12rem; min-width: 0; }
input, button {
  font: inherit;
  color: inherit;
  min-height: 2.75rem;
  padding: 0 0.75rem;
  background: var(--panel);
  border: 1px solid light-dark(#868f99, #6d7883);
  border-radius: 6px;
}
button { cursor: pointer; }
button:hover { border-color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: 3px; }
#results { list-style: none; padding: 0; }
#results li { padding: 0.75rem 0; border-top: 1px solid var(--line); }
#results p { margin: 0.25rem 0; }
#results .terms, footer { color: var(--soft); font-size: 0.9rem; }
`;
