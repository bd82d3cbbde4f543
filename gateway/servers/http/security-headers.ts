/** Security headers of every answer. They allow pages of this gateway to run only the scripts of this gateway. */
import type { RequestHandler } from 'express';
import helmet from 'helmet';

/** Headers of API answers. Because of them a browser never shows an API answer as a page, whatever the answer contains. */
const API_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': "default-src 'none';frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
};
const API = /^\/(api|aemp)\/|^\/mcp$/;

/** Creates the middleware that sets the headers. */
export function securityHeaders(): RequestHandler {
  const page = pageHeaders();
  return (request, response, next) => {
    if (!API.test(request.path)) return page(request, response, next);
    for (const name in API_HEADERS) response.setHeader(name, API_HEADERS[name] as string);
    next();
  };
}

function pageHeaders() {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'"],
        imgSrc: ["'self'", 'data:', 'blob:'],
        mediaSrc: ["'self'", 'blob:'],
        fontSrc: ["'self'"],
        connectSrc: ["'self'"],
        manifestSrc: ["'self'"],
        workerSrc: ["'self'"],
        baseUri: ["'none'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
        requireTrustedTypesFor: ["'script'"],
      },
    },
    referrerPolicy: { policy: 'no-referrer' },
    // The gateway also serves plain HTTP under the same names. A browser that once got Strict-Transport-Security over TLS would
    // refuse that. The other two headers work only over TLS, and the pages do not need them.
    strictTransportSecurity: false,
    crossOriginOpenerPolicy: false,
    originAgentCluster: false,
  });
}
