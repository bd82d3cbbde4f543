/** Ids of requests. */
import { randomBytes } from 'node:crypto';

const POOL_BYTES = 9 * 512;
let pool = Buffer.alloc(0);

/** A name for a request that nobody can guess; randomness is fetched for many at a time. */
export function requestId(): string {
  if (pool.length < 9) pool = randomBytes(POOL_BYTES);
  const id = `req_${pool.toString('base64url', 0, 9)}`;
  pool = pool.subarray(9);
  return id;
}
