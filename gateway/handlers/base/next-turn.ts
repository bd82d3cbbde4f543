/** Resolves in the next turn of the event loop, after all waiting work has run. */
export const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
