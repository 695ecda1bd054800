/** Stops Zod from using eval, which the content security policy forbids. Must be imported before Zod. */
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });
