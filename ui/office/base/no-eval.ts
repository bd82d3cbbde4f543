/**
 * Imported first: zod, which the contract is written in, otherwise tries at import whether it may compile code, and a content
 * policy that forbids it reports the try. This is the object that `z.config` fills.
 */
const zod = globalThis as { __zod_globalConfig?: { jitless?: boolean } };
zod.__zod_globalConfig = { jitless: true };
