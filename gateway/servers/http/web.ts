/** Serves the pages that Vite built, and the API reference to which error objects link. */
import { existsSync } from 'node:fs';
import { extname, join, sep } from 'node:path';
import express, { type Response, type Router } from 'express';
import type { OperationName } from '#contract/operations.ts';
import { takesGzip } from '#servers/base/answer.ts';
import { createDocument, type ServeDocument } from '#servers/base/documents.ts';
import { REFERENCE_CSS, referencePage } from '#servers/docs/reference.ts';

/**
 * Header of the player page (the page that a TV shows). A TV may cache the page for a day, so that the TV can start while it cannot reach
 * the gateway.
 */
const TV_CACHE = 'public, max-age=86400';
const HASHED_CACHE = 'public, max-age=31536000, immutable';

/** Returns true for an operation that this gateway serves. */
type Serves = (name: OperationName) => boolean;

/** Serves the pages in `root`. If they are not built, a page explains how to build them. */
export function createWeb(root: string, serves: Serves): Router {
  const router = express.Router({ caseSensitive: true, strict: true });

  const page = (response: Response, file: string, cache: string) => {
    if (!existsSync(join(root, file))) {
      response.status(503).set('Cache-Control', 'no-store').type('html').send(NOT_BUILT);
      return;
    }
    response.sendFile(file, { root, cacheControl: false, headers: { 'Cache-Control': cache } });
  };
  // People type addresses with capital letters or a final slash, such as `/TV/`: redirect them to the right address.
  router.use((request, response, next) => {
    const [, first = '', rest = ''] = /^\/([^/]*)(.*)$/s.exec(request.path) ?? [];
    const name = first.toLowerCase();
    const path = `/${name}${rest.replace(/\/+$/, '')}`;
    if (!FOLDERS.has(name) || path === request.path || !READS.has(request.method)) return next();
    const query = request.originalUrl.indexOf('?');
    response.set('Cache-Control', 'no-store').redirect(path + (query < 0 ? '' : request.originalUrl.slice(query)));
  });
  router.get('/', (_request, response) => page(response, 'index.html', 'no-cache'));
  // Use a pattern, not a named parameter. For a named parameter with invalid percent-encoding Express answers 400; with the pattern the
  // player page opens and explains the wrong link on the screen.
  router.get(/^\/tv(?:\/[^/]+)?$/, (_request, response) => {
    // The address contains the token of a display link (a link that needs no login), so search engines must not index it.
    response.set('X-Robots-Tag', 'noindex, nofollow');
    page(response, 'tv.html', TV_CACHE);
  });
  router.get(/^\/report(?:\/[^/]+)?$/, (_request, response) => {
    // The address contains the token of the QR code of a machine.
    response.set('X-Robots-Tag', 'noindex, nofollow');
    page(response, 'report.html', 'no-cache');
  });
  router.get('/docs/reference.css', (_request, response) => {
    response.set('Cache-Control', 'no-cache').type('css').send(REFERENCE_CSS);
  });
  /** Cache of reference pages. There is one page for each group of operations. */
  const pages = new Map<string, ServeDocument>();
  router.get(['/docs', '/docs/:page'], (request, response, next) => {
    const name = String(request.params.page ?? '');
    const html = referencePage(name, serves);
    if (html === undefined) return next();
    const document = pages.get(name) ?? createDocument('text/html; charset=utf-8', () => html);
    pages.set(name, document);
    return document(request, response);
  });
  // Send the files that the build compressed: the script of the office page is then a third as large.
  router.get(/^\/assets\/[\w.-]+\.(?:js|css)$/, (request, response, next) => {
    const file = `${request.path.slice(1)}.gz`;
    if (!takesGzip(request.headers['accept-encoding']) || !existsSync(join(root, file))) return next();
    response.set('Content-Encoding', 'gzip').vary('Accept-Encoding').type(extname(request.path));
    response.sendFile(file, { root, cacheControl: false, headers: { 'Cache-Control': HASHED_CACHE } });
  });
  router.use(
    express.static(root, {
      index: false,
      redirect: false,
      dotfiles: 'ignore',
      cacheControl: false,
      setHeaders: (response, path) => {
        const hashed = path.slice(root.length).startsWith(`${sep}assets${sep}`);
        response.setHeader('Cache-Control', hashed ? HASHED_CACHE : 'no-cache');
        if (hashed) response.setHeader('Vary', 'Accept-Encoding');
      },
    }),
  );
  router.get(PLAYER_SCRIPT, (_request, response) => {
    response.set('Cache-Control', 'no-store').type('js').send(RENEW);
  });
  router.get(/.*/, (request, response, next) => {
    // A browser gets a page; other clients get the error object.
    if (request.accepts(['json', 'html']) !== 'html') return next();
    response.status(404).set('Cache-Control', 'no-store').type('html').send(NOT_FOUND);
  });
  return router;
}

/** First segments of the paths that are redirected to lower case. */
const FOLDERS: ReadonlySet<string> = new Set(['tv', 'docs', 'report', 'trust']);
const READS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/**
 * Matches the path of a script of the player page. If this build does not have the requested script, the TV uses a cached page of an
 * earlier build.
 */
const PLAYER_SCRIPT = /^\/assets\/tv-[\w.-]+\.js$/;
/** The script for a TV with a page of an earlier build: it loads the new page, at most every ten seconds. */
const RENEW = `const KEY = 'headframe.renewed';
const since = Date.now() - Number(sessionStorage.getItem(KEY));
setTimeout(async function renew() {
  try {
    await fetch(location.href, { cache: 'reload' });
    sessionStorage.setItem(KEY, String(Date.now()));
    location.reload();
  } catch {
    setTimeout(renew, 10000);
  }
}, since >= 0 && since < 10000 ? 10000 : 0);
`;

const NOT_FOUND = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Headframe: no such page</title>
<main><h1>There is no such page</h1><p>The office page is at <a href="/">/</a>. A TV shows its boards at <a href="/tv">/tv</a>. The QR code of a machine opens its page for fault reports. The reference of the API is at <a href="/docs">/docs</a>.</p></main></html>`;

const NOT_BUILT = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Headframe</title>
<main><h1>The pages are not built yet</h1><p>Run <code>npm run build</code> and load this page again. The API and the broker work.</p></main></html>`;
