/**
 * The console's look for pages that the server writes itself, which need neither the console's build nor a script. The
 * colors and sizes are those of its theme and `console.css`.
 */
export const PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --body: light-dark(#fff, #242424);
  --text: light-dark(#000, #c9c9c9);
  --dimmed: light-dark(#495057, #b8b8b8);
  --border: light-dark(#dee2e6, #424242);
  --panel: light-dark(#f8f9fa, #1f1f1f);
  --hover: light-dark(#f1f3f5, #2e2e2e);
  --primary: light-dark(#4263eb, #3b5bdb);
  --link: light-dark(#4263eb, #91a7ff);
  --code: ui-monospace, SFMono-Regular, Menlo, Monaco, Consolas, "Liberation Mono", monospace;
  font: 1rem/1.55 -apple-system, BlinkMacSystemFont, "Segoe UI", Roboto, Helvetica, Arial, sans-serif;
}
body { margin: 0; background: var(--body); color: var(--text); -webkit-font-smoothing: antialiased }
h1 { margin: 0; font-size: 1.5rem; font-weight: 650; line-height: 1.35; overflow-wrap: anywhere }
h2 { margin: 0; font-size: 1.0625rem; font-weight: 650; line-height: 1.4 }
a { color: var(--link) }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px }
.entry { box-sizing: border-box; min-height: 100vh; padding: min(12vh, 96px) 1rem 1rem; background: var(--panel) }
.entry-box {
  display: flex; flex-direction: column; gap: 1rem; box-sizing: border-box; max-width: 484px; margin-inline: auto; padding: 2rem;
  border: 1px solid var(--border); border-radius: 1rem; background: var(--body); overflow-wrap: anywhere;
}
.entry-box :is(p, form, fieldset) { margin: 0 }
.mark { display: block; flex: none }
@media (max-width: 48em) { .entry-box { padding: 1.25rem } }
`;

const SHAPES = `<rect width="32" height="32" rx="8" fill="#3b5bdb"/><path d="M9 22v-9M16 25V8M23 20v-5" fill="none" stroke="#fff" stroke-width="3.2" stroke-linecap="round"/>`;

/** The product's icon, as the console has it. */
export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><title>Minutes</title>${SHAPES}</svg>\n`;

/** Writes the icon into a page, which may load no picture. */
export const writeMark = (size: number): string =>
  `<svg class="mark" width="${size}" height="${size}" viewBox="0 0 32 32" aria-hidden="true">${SHAPES}</svg>`;
