/** An owner key for tests only, in the shape that HEADFRAME_API_KEY takes. */
export const OWNER_KEY = `wk_testtest_${'A'.repeat(43)}`;
