/**
 * Must be imported before zod. zod tests at import whether it may compile code, and the content policy of the page reports
 * that test as a violation. zod reads this global object, which `z.config` also fills.
 */
const zod = globalThis as { __zod_globalConfig?: { jitless?: boolean } };
zod.__zod_globalConfig = { jitless: true };
