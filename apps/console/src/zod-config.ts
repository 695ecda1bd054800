/** The page's policy forbids evaluating text as code, which Zod tries unless this is set before it is loaded. */
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });
