/** Reload interval of the page below, in ms. */
const RELOAD_INTERVAL = 1_000;

/**
 * Writes the page shown while the console is being built. It reloads at its own URL, which keeps the token of a
 * one-time link.
 * @param nonce nonce in the content security policy for its script and style
 */
export const writePreparingPage = (nonce: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Preparing the console… · Minutes</title>
    <style nonce="${nonce}">
      :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
      body { display: grid; min-height: 100vh; margin: 0; place-content: center; text-align: center }
    </style>
  </head>
  <body>
    <main>
      <h1>Preparing the console…</h1>
      <p>It is built once after an installation or an update. This page opens it when it is ready.</p>
      <p>If nothing happens within two minutes, check the server's terminal.</p>
    </main>
    <script nonce="${nonce}">setTimeout(() => location.reload(), ${RELOAD_INTERVAL})</script>
  </body>
</html>
`;
