/** The reference page; everything that it loads is named here. */
export const PAGE = `<!doctype html>
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
    <noscript>This page needs JavaScript. The same is at <a href="/openapi.json">/openapi.json</a>.</noscript>
    <main id="reference"></main>
  </body>
</html>
`;

/** `validatorUrl` would send the document's address to a third party. Keys live as long as the page. */
export const SCRIPT = `window.ui = SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  persistAuthorization: false,
  validatorUrl: null,
});
`;

export const STYLE = `body { margin: 0; }
.swagger-ui .topbar { display: none; }
`;
