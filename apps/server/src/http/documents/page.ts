import { PAGE_STYLE, writeMark } from "../page-style.js";

/** The reference page. It loads only what is listed here. */
export const REFERENCE_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>API reference · Minutes</title>
    <link rel="icon" type="image/svg+xml" href="/docs/icon.svg">
    <link rel="stylesheet" href="/docs/viewer.css">
    <link rel="stylesheet" href="/docs/page.css">
    <script src="/docs/viewer.js" defer></script>
    <script src="/docs/start.js" defer></script>
  </head>
  <body class="docs">
    <header class="docs-bar"><a href="/" class="wordmark">${writeMark(24)}Minutes</a></header>
    <noscript>This page needs JavaScript. The same content is at <a href="/openapi.json">/openapi.json</a>.</noscript>
    <main id="reference"></main>
  </body>
</html>
`;

/**
 * Starts the viewer with closed groups: it renders a long list only where it is visible. `validatorUrl` would send the document's URL to a third party. Keys
 * are kept only until the page is closed.
 *
 * The plugin replaces what the viewer draws for everyone alike: a `main` within the page's, groups that skip a level of
 * headings, links inside buttons, choices without a label, and a choice among one server.
 */
export const REFERENCE_SCRIPT = `const accessible = ({ React: { createElement } }) => ({
  components: {
    ReferenceLayout: ({ specSelectors, getComponent }) => {
      const draw = (name) => createElement(getComponent(name, true));
      const drawWide = (name) => createElement("div", { className: "wrapper" }, draw(name));
      if (specSelectors.loadingStatus() !== "success") return createElement("div", { className: "swagger-ui" }, drawWide("errors"));
      return createElement(
        "div",
        { className: "swagger-ui" },
        createElement(getComponent("SvgAssets")),
        drawWide("errors"),
        drawWide("InfoContainer"),
        createElement(
          "div",
          { className: "wrapper" },
          createElement("div", { className: "operations-head" }, createElement("h2", null, "Operations"), draw("AuthorizeBtnContainer")),
          draw("operations"),
          draw("Models"),
        ),
      );
    },
  },
  wrapComponents: {
    DeepLink: (Original) => (props) =>
      String(props.path).includes("/") ? createElement("span", null, props.text) : createElement(Original, props),
    CloseIcon: (Original) => () => createElement("span", { role: "img", "aria-label": "Close" }, createElement(Original)),
    // Its label would hide the word on it.
    Button: (Original) => ({ "aria-label": label, ...props }) =>
      createElement(Original, label === "Apply credentials" ? props : { ...props, "aria-label": label }),
    ExamplesSelect: (Original) => (props) =>
      createElement("label", { className: "examples" }, "Example ", createElement(Original, { ...props, showLabels: false })),
  },
});

window.ui = SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  docExpansion: "none",
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  persistAuthorization: false,
  validatorUrl: null,
  plugins: [accessible],
  layout: "ReferenceLayout",
});
`;

/** The viewer's own colors are neither the console's nor have enough contrast, also in its dark mode, which is off. */
const VIEWER_STYLE = `
#reference .swagger-ui { color: var(--text); font: inherit }
#reference .swagger-ui * { border-color: var(--border); color: inherit; font-family: inherit; text-shadow: none; transition: none }
#reference .swagger-ui svg { fill: currentColor }
#reference .swagger-ui :is(code, pre, .parameter__type, .prop-type, .prop-format, .opblock-summary-path, .curl) { font-family: var(--code) }
#reference .wrapper { max-width: 1080px }
#reference .info { margin: 1.5rem 0 }
#reference .info .title { font-size: 1.5rem }
#reference .info .title pre { padding: 0 .375rem; border: 1px solid var(--border); border-radius: .25rem; background: none; font-size: .75rem }
#reference .info .title small { top: 0; padding: 0; background: none; vertical-align: middle }
#reference .swagger-ui a { color: var(--link); text-decoration: underline }
#reference :is(.markdown, .renderedMarkdown) code { padding: 0 .25rem; border-radius: .25rem; background: var(--hover); color: inherit; font-weight: 400 }
#reference .operations-head { display: flex; gap: 1rem; align-items: center; justify-content: space-between }
#reference .auth-wrapper { flex: none; padding: 0 }
#reference .opblock-tag { margin: 0; padding: .75rem 0; font-size: 1.0625rem; font-weight: 650 }
#reference .opblock-tag a { color: inherit; text-decoration: none }
#reference .opblock-tag small { color: var(--dimmed); font-size: .875rem }
#reference .opblock-tag:hover { background: var(--hover) }
#reference .opblock { margin: 0 0 .5rem; border: 1px solid var(--border); border-radius: .5rem; background: none; box-shadow: none }
#reference .opblock-summary-method { border-radius: .25rem; background: #495057; color: #fff; font-size: .75rem }
#reference .opblock-get .opblock-summary-method { background: #1864ab }
#reference .opblock-post .opblock-summary-method { background: #2b6b3b }
#reference :is(.opblock-put, .opblock-patch) .opblock-summary-method { background: #8a4b00 }
#reference .opblock-delete .opblock-summary-method { background: #b02525 }
#reference .opblock-summary-path { font-size: .875rem; font-weight: 600 }
#reference .opblock-section-header { background: var(--panel); box-shadow: none }
#reference .tab-header .tab-item.active h4 span::after { background: var(--primary) }
#reference :is(.parameter__name, .parameter__in, .parameter__type, .parameter__extension, .opblock-summary-description, table thead tr :is(td, th), .response-col_links, .header-col, .prop-type, .prop-format, .model-title) { color: var(--dimmed) }
#reference .parameter__name { color: inherit; font-size: .875rem; font-weight: 600 }
#reference :is(input, select, textarea):not([type="checkbox"]) { border: 1px solid var(--border); border-radius: .5rem; background: var(--body); color: inherit; font-size: .875rem; box-shadow: none }
#reference ::placeholder { color: var(--dimmed); opacity: 1 }
#reference .btn { border: 1px solid var(--border); border-radius: .5rem; background: var(--body); box-shadow: none; font-size: .875rem; font-weight: 600; text-decoration: none }
#reference .btn:hover { background: var(--hover) }
#reference .btn.execute, #reference .btn.authorize.modal-btn { border-color: var(--primary); background: var(--primary); color: #fff }
#reference .btn[disabled] { opacity: 1; color: var(--dimmed) }
#reference .modal-ux { border: 1px solid var(--border); border-radius: 1rem; background: var(--body) }
#reference :is(.model-box, .model-container, section.models, .models-control) { background: none }
#reference section.models { border-radius: .5rem }
#reference .examples { display: inline-flex; gap: .5rem; align-items: center; font-size: .875rem }
#reference .loading-container .loading::before { border-color: var(--border); border-top-color: var(--primary) }
`;

/** Styles of the viewer, on narrow screens as well, and of the page at `/`. */
export const REFERENCE_STYLE = `${PAGE_STYLE}
.entry-box pre { margin: 0; padding: .75rem; border-radius: .5rem; background: var(--hover); font: .8125rem/1.5 var(--code); white-space: pre-wrap; overflow-wrap: anywhere }
.docs-bar { padding: .75rem 1.25rem; border-bottom: 1px solid var(--border); background: var(--panel) }
.wordmark { display: inline-flex; gap: 10px; align-items: center; color: var(--text); font-size: 1.0625rem; font-weight: 700; letter-spacing: -.01em; text-decoration: none }
${VIEWER_STYLE}
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
