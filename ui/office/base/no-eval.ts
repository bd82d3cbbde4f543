/**
 * Import this file before zod. When zod is imported, it tests whether it may compile code at run time. The content security policy of the
 * page reports this test as a violation. The setting `jitless` in the global object below prevents the test.
 */
const zod = globalThis as { __zod_globalConfig?: { jitless?: boolean } };
zod.__zod_globalConfig = { jitless: true };
