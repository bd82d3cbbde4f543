/** Returns a promise that resolves after the pending callbacks of the event loop have run (`setImmediate`). */
export const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
