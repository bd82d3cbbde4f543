/** Reads the JSON body of a request within the limits of its operation and of its caller. */
import type { Request, Response } from 'express';
import { LIMITS } from '#contract/base/limits.ts';
import type { Operation } from '#contract/base/operation.ts';
import { type BodyBounds, readJson } from '#servers/base/body.ts';
import { createPlaces } from '#servers/base/fair-share.ts';
import { TABLE } from '#servers/invoke/json-schemas.ts';
import { holderOf } from './callers.ts';
import type { Gatekeeper } from './gatekeeper.ts';
import type { Principal } from './holders.ts';

/** Default limit for the body of an operation, in bytes. */
export const MAX_BODY = LIMITS.body.value;
/**
 * A body of at least this many bytes counts as large. The number of large bodies is limited. A body counts until its request is answered.
 */
const LARGE_BODY = 65_536;
/** Limit for the concurrent large bodies of one caller. */
const LARGE_EACH = 2;

/** Returns the limits for the body of an operation. */
export const bodyBounds = ({
  maxBody = MAX_BODY,
  maxValues = LIMITS.json_values.value,
}: Operation): Required<BodyBounds> => ({ bytes: maxBody, values: maxValues });

/** Limits of an MCP message: the largest limits of all operations, and a few values more for the JSON-RPC fields around the arguments. */
export const MESSAGE_BOUNDS: Required<BodyBounds> = {
  bytes: Math.max(...[...TABLE.values()].map((row) => bodyBounds(row).bytes)),
  values: Math.max(...[...TABLE.values()].map((row) => bodyBounds(row).values)) + 100,
};

/** Reads the body of a request as JSON. Throws `rate_limited`, and the errors of `readJson`. */
export type ReadBody = (
  principal: Principal,
  request: Request,
  response: Response,
  bounds: Required<BodyBounds>,
) => Promise<unknown>;

export function createBodyReader(keeper: Gatekeeper): ReadBody {
  const places = createPlaces({ total: LIMITS.large_bodies.value, each: LARGE_EACH, what: 'large bodies' });
  return async (principal, request, response, bounds) => {
    keeper.body(principal, request, response, bounds.bytes);
    const large = !(Number(request.headers['content-length'] ?? bounds.bytes) <= LARGE_BODY);
    // Count the body as open until the answer is sent, because its parsed value is in memory until then.
    if (large) response.once('close', places.take(holderOf(principal, request)));
    return readJson(request, bounds);
  };
}
