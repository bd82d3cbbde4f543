/**
 * Identifies the caller of a request. Also reports each request that names a device in its path and does not have the key of this device.
 */
import type { Request, Response } from 'express';
import { OperationError } from '#contract/base/errors.ts';
import type { Operation } from '#contract/base/operation.ts';
import { PAGE_HEADER, TABLET_PAGE } from '#contract/client.ts';
import type { Caller } from '#contract/context.ts';
import type { RefusedRequest, RequestFault } from '#contract/fleet/ingest.ts';
import { addressOf, type Gatekeeper, isEncrypted } from './gatekeeper.ts';
import type { Principal } from './holders.ts';
import { contextOf } from './request-context.ts';

/**
 * If a request names a device in its path and does not have the key of this device, the page of the device shows one of these faults. The
 * key of the map is the error code of the answer.
 */
const KEY_FAULTS: Readonly<Record<string, RequestFault>> = {
  credential_invalid: 'wrong_key',
  authentication_required: 'no_key',
};
/** Matches the key of a person or an agent, and the session of a person; a device key begins with `dk_`. */
const OF_A_PERSON = /^(bearer +(wk|pat)_|session)/i;

export interface Callers {
  /** Returns the caller in the form that handlers receive. */
  callerOf(request: Request, principal: Principal, door: Caller['door']): Caller;
  /**
   * Identifies the caller of an operation. If the path names a device and the request has no valid key of this device, the function calls
   * `requestRefused`, so that the page of the device can show the fault.
   */
  identifyFor(row: Operation, request: Request, response: Response): Promise<Principal>;
  /** Identifies the sender of a late write: a person, or a shared tablet on which nobody is signed in. */
  identifySender(request: Request, response: Response): Promise<Principal>;
}

/**
 * Creates the functions that identify callers. In links, `publicHost` replaces names such as `localhost`. If `publicHost` is not set, links
 * keep these names.
 */
export function createCallers(options: {
  keeper: Gatekeeper;
  publicHost?: string | undefined;
  requestRefused?: ((request: RefusedRequest) => void) | undefined;
}): Callers {
  const { keeper, publicHost, requestRefused } = options;

  // A link to `localhost` would work only in a browser on this machine.
  const reachable = (host: string): string =>
    publicHost === undefined ? host : host.replace(/^(localhost|127\.0\.0\.1|\[::1\])(?=:|$)/, publicHost);

  return {
    callerOf: (request, principal, door) => ({
      ...principal,
      door: principal.kind === 'control' ? 'cli' : door,
      address: addressOf(request),
      base_url: `${isEncrypted(request) ? 'https' : 'http'}://${reachable(contextOf(request).host)}`,
    }),
    identifySender: (request, response) =>
      keeper.identify(request, response, request.get(PAGE_HEADER) === TABLET_PAGE ? 'tablet' : 'person'),
    async identifyFor(row, request, response) {
      const named = row.roles.includes('device') ? request.params.id : undefined;
      if (typeof named !== 'string')
        return keeper.identify(request, response, row.roles.includes('tablet') ? 'tablet' : 'person');
      const report = (reason: RefusedRequest['reason']) =>
        requestRefused?.({ named, address: addressOf(request), path: request.path, reason });
      try {
        const principal = await keeper.identify(request, response);
        if (principal.device !== null && principal.device !== named) report({ sender: principal.device });
        return principal;
      } catch (error) {
        const fault = error instanceof OperationError ? KEY_FAULTS[error.code] : undefined;
        // Do not report a request that a person has probably sent: a request with a wrong `wk_` or `pat_` key, or a GET without a key, such
        // as browsers send.
        const byPerson = request.method === 'GET' && fault === 'no_key';
        const sent = request.headers.authorization ?? (request.headers[PAGE_HEADER] === undefined ? '' : 'Session');
        if (fault !== undefined && !byPerson && !OF_A_PERSON.test(sent)) report(fault);
        throw error;
      }
    },
  };
}

/** Returns the text under which the limits for concurrent requests count a caller: its key, or its address if it has no key. */
export function holderOf(principal: Principal, request: Request): string {
  return principal.id === null ? `address:${addressOf(request)}` : `${principal.kind}:${principal.id}`;
}
