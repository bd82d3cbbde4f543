/**
 * Requests without TLS from other computers. The gateway notes who sends them. While HTTP is encrypted only, it answers the pages of
 * `/trust`, redirects other pages to the port with TLS, and refuses everything else.
 */
import type { IncomingMessage } from 'node:http';
import type { Request, RequestHandler } from 'express';
import { OperationError } from '#contract/base/errors.ts';
import { say } from '#contract/base/told.ts';
import type { PlainUser } from '#contract/site/listener.ts';
import { type IsExposed, isExposed } from '#servers/tls/exposure.ts';
import { addressOf } from './gatekeeper.ts';
import type { Principal } from './holders.ts';
import { contextOf } from './request-context.ts';

/** How the HTTP server treats requests without TLS from other computers. */
export interface PlainOptions {
  /** Returns which listeners are encrypted only, and the port to which pages are redirected. */
  readonly state: () => { readonly http: boolean; readonly mqtt: boolean; readonly port: number };
  /** Called for each caller of such a request. */
  readonly used: (user: PlainUser, address: string) => void;
  /** Default: decides by the addresses of the socket. */
  readonly isExposed?: IsExposed | undefined;
}

/** Paths that need no key and contain no secret. `/trust` shows the style of the reference. */
const OPEN_PATHS = /^\/(trust(\/.*)?|docs\/reference\.css)$/;
const NO_PAGE = /^\/(api|aemp|mcp|mqtt|metrics|healthz)(\/|$)/;
/** Pages that a screen loads with its link. */
const SCREEN = /^\/(tv|api\/v1\/displays)\//;

const KINDS: Partial<Record<Principal['kind'], PlainUser['kind']>> = {
  workspace: 'key',
  personal: 'key',
  user: 'user',
  tablet: 'tablet',
  device: 'device',
};

export interface PlainRequests {
  /** Checks a request before its route is found. */
  readonly check: RequestHandler;
  /** Notes who sent the request. */
  identified(principal: Principal, request: Request): void;
  /** Returns true if the upgrade to a WebSocket is refused. */
  refusesUpgrade(request: IncomingMessage): boolean;
}

export function createPlainRequests(options: PlainOptions | undefined): PlainRequests {
  if (options === undefined)
    return { check: (_request, _response, next) => next(), identified() {}, refusesUpgrade: () => false };
  const { state, used } = options;
  const exposed = options.isExposed ?? isExposed;

  return {
    check(request, response, next) {
      if (!exposed(request.socket)) return next();
      if (SCREEN.test(request.path)) {
        const address = addressOf(request);
        used({ kind: 'screen', id: address, name: `Screen at ${address}`, project_id: null }, address);
      }
      const { http, port } = state();
      const reads = request.method === 'GET' || request.method === 'HEAD';
      if (!http || (reads && OPEN_PATHS.test(request.path))) return next();
      const base = `https://${new URL(`http://${contextOf(request).host}`).hostname}:${port}`;
      response.set({ Connection: 'close', 'Cache-Control': 'no-store' });
      if (reads && !NO_PAGE.test(request.path) && request.headers.authorization === undefined) {
        response.redirect(308, `${base}${request.originalUrl}`);
        return;
      }
      throw new OperationError(
        'encryption_required',
        say(
          'This gateway accepts requests from other computers only with TLS. Use {base}, and replace a key that you sent without TLS.',
          { base },
        ),
      );
    },
    identified(principal, request) {
      const kind = KINDS[principal.kind];
      if (kind === undefined || principal.id === null || !exposed(request.socket)) return;
      const { name, device_project } = principal;
      const id = principal.device ?? principal.id;
      used({ kind, id, name, project_id: device_project }, addressOf(request));
    },
    refusesUpgrade(request) {
      const { http, mqtt } = state();
      return (http || mqtt) && exposed(request.socket);
    },
  };
}
