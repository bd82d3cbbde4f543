/**
 * Import this file before zod. At import, zod tests whether it may compile code, and the content security policy of the page reports the
 * test as a violation. The setting `jitless` in the global object below prevents the test.
 */
const zod = globalThis as { __zod_globalConfig?: { jitless?: boolean } };
zod.__zod_globalConfig = { jitless: true };
