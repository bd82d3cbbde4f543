/** The pages: what Vite built, and the reference that error objects link to. */
import { existsSync } from 'node:fs';
import { extname, join, sep } from 'node:path';
import express, { type Response, type Router } from 'express';
import type { OperationName } from '#contract/operations.ts';
import { takesGzip } from '#servers/base/answer.ts';
import { createDocument, type ServeDocument } from '#servers/base/documents.ts';
import { REFERENCE_CSS, referencePage } from '#servers/docs/reference.ts';

/** A day: a TV that starts while the gateway is away still has its player (ui 5.4). */
const TV_CACHE = 'public, max-age=86400';
const HASHED_CACHE = 'public, max-age=31536000, immutable';

/** True for an operation that this node serves. */
type Serves = (name: OperationName) => boolean;

/** Serves the pages in `root`; a clear page says so when they are not built. */
export function createWeb(root: string, serves: Serves): Router {
  const router = express.Router({ caseSensitive: true, strict: true });

  const page = (response: Response, file: string, cache: string) => {
    if (!existsSync(join(root, file))) {
      response.status(503).set('Cache-Control', 'no-store').type('html').send(NOT_BUILT);
      return;
    }
    response.sendFile(file, { root, cacheControl: false, headers: { 'Cache-Control': cache } });
  };
  // Addresses are typed by people: another case or a slash at the end leads to the page all the same.
  router.use((request, response, next) => {
    const [, first = '', rest = ''] = /^\/([^/]*)(.*)$/s.exec(request.path) ?? [];
    const name = first.toLowerCase();
    const path = `/${name}${rest.replace(/\/+$/, '')}`;
    if (!FOLDERS.has(name) || path === request.path || !READS.has(request.method)) return next();
    const query = request.originalUrl.indexOf('?');
    response.set('Cache-Control', 'no-store').redirect(path + (query < 0 ? '' : request.originalUrl.slice(query)));
  });
  router.get('/', (_request, response) => page(response, 'index.html', 'no-cache'));
  // Not a named parameter: a link that cannot be decoded is the player's to explain, on the screen.
  router.get(/^\/tv(?:\/[^/]+)?$/, (_request, response) => {
    // The address holds the token of the share: it must not travel on, nor be found.
    response.set('X-Robots-Tag', 'noindex, nofollow');
    page(response, 'tv.html', TV_CACHE);
  });
  router.get('/docs/reference.css', (_request, response) => {
    response.set('Cache-Control', 'no-cache').type('css').send(REFERENCE_CSS);
  });
  /** Pages of the reference that were asked for; there are as many as groups of operations. */
  const pages = new Map<string, ServeDocument>();
  router.get(['/docs', '/docs/:page'], (request, response, next) => {
    const name = String(request.params.page ?? '');
    const html = referencePage(name, serves);
    if (html === undefined) return next();
    const document = pages.get(name) ?? createDocument('text/html; charset=utf-8', () => html);
    pages.set(name, document);
    return document(request, response);
  });
  // The build made these once: the script of the office is a third of its size.
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
    // A person who typed an address reads a page; programs get the error object.
    if (request.accepts(['json', 'html']) !== 'html') return next();
    response.status(404).set('Cache-Control', 'no-store').type('html').send(NOT_FOUND);
  });
  return router;
}

/** Pages with something behind their name. */
const FOLDERS: ReadonlySet<string> = new Set(['tv', 'docs']);
const READS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** A script of the player that this build does not have: a TV asks with a page that it kept from an earlier build. */
const PLAYER_SCRIPT = /^\/assets\/tv-[\w.-]+\.js$/;
/** What such a TV runs instead: it takes the new page, at most every ten seconds. */
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
<h1>There is no such page</h1><p>The office page is at <a href="/">/</a>. A TV shows its boards at <a href="/tv">/tv</a>. The reference of the API is at <a href="/docs">/docs</a>.</p></html>`;

const NOT_BUILT = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Headframe</title>
<h1>The pages are not built yet</h1><p>Run <code>npm run build</code> and load this page again. The API and the broker work.</p></html>`;
