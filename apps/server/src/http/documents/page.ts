/** The reference page. It loads only what is listed here. */
export const REFERENCE_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Minutes API reference</title>
    <link rel="icon" type="image/png" href="/docs/icon.png">
    <link rel="stylesheet" href="/docs/viewer.css">
    <link rel="stylesheet" href="/docs/page.css">
    <script src="/docs/viewer.js" defer></script>
    <script src="/docs/start.js" defer></script>
  </head>
  <body>
    <noscript>This page needs JavaScript. The same content is at <a href="/openapi.json">/openapi.json</a>.</noscript>
    <main id="reference"></main>
  </body>
</html>
`;

/**
 * Starts the viewer in the system's color scheme, with closed groups: the viewer
 * renders a long list only where it is visible. `validatorUrl` would send the document's URL to a third party. Keys
 * are kept only until the page is closed.
 */
export const REFERENCE_SCRIPT = `const dark = window.matchMedia("(prefers-color-scheme: dark)");
const applyColors = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
applyColors();
dark.addEventListener("change", applyColors);
window.ui = SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  docExpansion: "none",
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  persistAuthorization: false,
  validatorUrl: null,
});
`;

/** Styles of all pages: the viewer on narrow screens, where wide parts scroll on their own, and the page at `/`. */
export const REFERENCE_STYLE = `body { margin: 0; }
.swagger-ui .topbar { display: none; }
.home { color-scheme: light dark; font: 1rem/1.6 system-ui, sans-serif; }
.home main { max-width: 42rem; margin: 0 auto; padding: 2rem 1rem; }
.home pre { overflow-x: auto; }
@media (max-width: 600px) {
  .swagger-ui .wrapper, .swagger-ui .opblock-section-header, .swagger-ui .opblock-description-wrapper { padding-left: 12px; padding-right: 12px; box-sizing: border-box; max-width: 100vw; }
  .swagger-ui .opblock-summary, .swagger-ui .opblock-summary-control { flex-wrap: wrap; }
  .swagger-ui .opblock .opblock-summary-path { max-width: 70vw; overflow-wrap: anywhere; }
  .swagger-ui .opblock .opblock-summary-description { overflow-wrap: anywhere; }
  .swagger-ui .opblock-body, .swagger-ui .responses-inner, .swagger-ui .table-container { overflow-x: auto; max-width: 100%; }
  .swagger-ui table, .swagger-ui tbody, .swagger-ui tr, .swagger-ui td { display: block; width: auto !important; min-width: 0 !important; max-width: 100%; box-sizing: border-box; }
  .swagger-ui table thead { display: none; }
  .swagger-ui .markdown, .swagger-ui .renderedMarkdown, .swagger-ui .info { overflow-wrap: anywhere; }
  .swagger-ui pre, .swagger-ui textarea, .swagger-ui .highlight-code { max-width: 100%; overflow-x: auto; box-sizing: border-box; }
}
`;
