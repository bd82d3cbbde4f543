/** How often a test of `kill -9` kills its child process: `TEST_KILLS=100 npm test -- FILE` makes it more thorough than its default. */
export const killsOf = (fallback: number): number => Number.parseInt(process.env.TEST_KILLS ?? String(fallback), 10);
