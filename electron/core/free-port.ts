/** Finds a port that no program uses. */
import { createServer } from 'node:net';

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, () => server.close(() => resolve(true)));
  });
}

const MOST_TRIES = 50;

/** Returns the next free port after the given one; null if none of the next 50 is free. */
export async function nextFreePort(after: number): Promise<number | null> {
  for (let port = after + 1; port <= Math.min(65_535, after + MOST_TRIES); port++) if (await isFree(port)) return port;
  return null;
}
