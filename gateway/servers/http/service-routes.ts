/** The routes that are not operations: `/healthz`, `/trust`, `/metrics`, the OpenAPI document and the operation catalog. */
import type { Express, Request, Response } from 'express';
import { OperationError } from '#contract/base/errors.ts';
import { READERS } from '#contract/base/operation.ts';
import { sendJson } from '#servers/base/answer.ts';
import { createDocument } from '#servers/base/documents.ts';
import { openApiDocument } from '#servers/docs/openapi.ts';
import { catalogDocument } from '#servers/invoke/catalog.ts';
import type { Invoke } from '#servers/invoke/invoke.ts';
import { type Gatekeeper, isEncrypted, isLocal } from './gatekeeper.ts';
import type { Metrics } from './metrics.ts';
import { refuseMethod } from './operation-routes.ts';
import { contextOf } from './request-context.ts';
import { REVOCATION_LIST, type Trust, trustPage } from './trust-page.ts';

/** The rate limit counts one request for a document, such as the OpenAPI document, as this many requests. */
const DOCUMENT_COUNT = 20;
/** `/metrics` sends the same text for this many milliseconds, and then collects the values again. */
const METRICS_MS = 250;
const JSON_TYPE = 'application/json; charset=utf-8';

/** Returns the address of the logger bucket, and whether it is listening. */
export type BucketAddress = () => {
  readonly host: string;
  readonly port: number;
  readonly tlsPort: number;
  readonly encryptedOnly: boolean;
  readonly listening: boolean;
};

const bucketUrl = ({ host, port, tlsPort, encryptedOnly }: ReturnType<BucketAddress>): string =>
  encryptedOnly ? `https://${host}:${tlsPort}` : `http://${host}:${port}`;

/** Adds these routes to the Express app. */
export function addServiceRoutes(
  app: Express,
  options: {
    keeper: Gatekeeper;
    metrics: Metrics;
    serves: Invoke['serves'];
    ready: () => boolean;
    bucket?: BucketAddress | undefined;
    announced?: (() => readonly string[]) | undefined;
    trust?: Trust | undefined;
  },
): void {
  const { keeper, metrics, serves, ready, bucket, announced, trust } = options;

  const serveGet = (path: string, answer: (request: Request, response: Response) => void | Promise<void>, count = 1) =>
    app.all(path, async (request, response) => {
      contextOf(request).operation = path;
      if (request.method !== 'GET' && request.method !== 'HEAD') refuseMethod(response, 'GET, HEAD');
      keeper.open(request, response, count);
      await answer(request, response);
    });

  serveGet('/healthz', (_request, response) => {
    const at = bucket?.();
    const names = announced?.() ?? [];
    const isReady = ready();
    sendJson(response, isReady ? 200 : 503, {
      status: isReady ? 'ok' : 'starting',
      ...(at?.listening === true ? { bucket: bucketUrl(at) } : {}),
      // The page on which a person claims the gateway shows these names.
      ...(names.length === 0 ? {} : { names }),
    });
  });

  if (trust !== undefined) {
    serveGet('/trust/ca.pem', (_request, response) => {
      // With this type, iOS and Android offer to install the certificate.
      response.set('Cache-Control', 'no-cache').type('application/x-x509-ca-cert').send(Buffer.from(trust.authority()));
    });
    serveGet(REVOCATION_LIST, (_request, response) => {
      const list = trust.revocationList();
      if (list === undefined) throw new OperationError('not_found', 'The site authority has no revocation list.');
      response.set('Cache-Control', 'no-cache').type('application/pkix-crl').send(list);
    });
    serveGet('/trust', (request, response) => {
      const origin = `${isEncrypted(request) ? 'https' : 'http'}://${contextOf(request).host}`;
      response.set('Cache-Control', 'no-store').type('html').send(trustPage(trust, origin));
    });
  }

  let figures: { readonly text: Promise<string>; readonly at: number } | undefined;
  serveGet('/metrics', async (request, response) => {
    if (!isLocal(request)) {
      const { role } = await keeper.identify(request, response);
      if (role === null || !READERS.includes(role))
        throw new OperationError('permission_denied', '/metrics needs the key of a person or an agent.');
    }
    const now = performance.now();
    if (figures === undefined || now - figures.at >= METRICS_MS) figures = { text: metrics.text(), at: now };
    response
      .set('Cache-Control', 'no-store')
      .type(metrics.contentType)
      .send(await figures.text);
  });

  const openApi = createDocument(JSON_TYPE, () => JSON.stringify(openApiDocument(serves)));
  serveGet('/api/v1/openapi.json', openApi, DOCUMENT_COUNT);
  const catalog = createDocument(JSON_TYPE, () => JSON.stringify(catalogDocument(serves)));
  serveGet('/api/v1/operations', catalog, DOCUMENT_COUNT);
}
