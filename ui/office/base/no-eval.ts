/**
 * Import this file before zod. When zod is imported, it tests whether it may compile code at run time. The content security policy of the
 * page forbids this, so the browser reports the test as a violation. If the global object below has the setting `jitless`, zod does not run
 * the test.
 */
const zod = globalThis as { __zod_globalConfig?: { jitless?: boolean } };
zod.__zod_globalConfig = { jitless: true };
