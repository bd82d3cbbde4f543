/** Reads the JSON body of a request within the limits of its operation and of its caller. */
import type { Request, Response } from 'express';
import { LIMITS } from '#contract/base/limits.ts';
import type { Operation } from '#contract/base/operation.ts';
import { type BodyBounds, readJson } from '#servers/base/body.ts';
import { createPlaces } from '#servers/base/fair-share.ts';
import { TABLE } from '#servers/invoke/json-schemas.ts';
import type { Principal } from './auth.ts';
import { holderOf } from './callers.ts';
import type { Gatekeeper } from './gatekeeper.ts';

/** The largest body of an operation that declares no other limit, in bytes. */
export const MAX_BODY = LIMITS.body.value;
/** A body over this size, in bytes, occupies one of few places until its request is answered. */
const LARGE_BODY = 65_536;
/** Large bodies of one caller at a time. */
const LARGE_EACH = 2;

/** The limits of an operation's body. */
export const bodyBounds = ({
  maxBody = MAX_BODY,
  maxValues = LIMITS.json_values.value,
}: Operation): Required<BodyBounds> => ({ bytes: maxBody, values: maxValues });

/** The limits of a tool message: it carries the arguments of any operation, in an envelope of a few values. */
export const MESSAGE_BOUNDS: Required<BodyBounds> = {
  bytes: Math.max(...[...TABLE.values()].map((row) => bodyBounds(row).bytes)),
  values: Math.max(...[...TABLE.values()].map((row) => bodyBounds(row).values)) + 100,
};

/** Reads the body of a request as JSON; throws `rate_limited` or what `readJson` throws. */
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
    // The parsed value is as large as the body, so the place stays taken until the answer is sent.
    if (large) response.once('close', places.take(holderOf(principal, request)));
    return readJson(request, bounds);
  };
}
