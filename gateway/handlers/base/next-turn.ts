/** Resolves in the next turn of the event loop, when everything that waits there has been served. */
export const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
