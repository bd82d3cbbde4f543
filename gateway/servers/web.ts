/** The pages: what Vite built, and the reference that error objects link to. */
import { existsSync } from 'node:fs';
import { join, sep } from 'node:path';
import express, { type Response, type Router } from 'express';
import { REFERENCE_CSS, referencePage } from './reference.ts';

/** A day: a TV that starts while the gateway is away still has its player (ui 5.4). */
const TV_CACHE = 'public, max-age=86400';
const HASHED_CACHE = 'public, max-age=31536000, immutable';

/** Serves the pages in `root`; a clear page says so when they are not built. */
export function createWeb(root: string): Router {
  const router = express.Router({ caseSensitive: true, strict: true });

  const page = (response: Response, file: string, cache: string) => {
    if (!existsSync(join(root, file))) {
      response.status(503).set('Cache-Control', 'no-store').type('html').send(NOT_BUILT);
      return;
    }
    response.sendFile(file, { root, cacheControl: false, headers: { 'Cache-Control': cache } });
  };
  router.get('/', (_request, response) => page(response, 'index.html', 'no-cache'));
  router.get(['/tv', '/tv/:share'], (_request, response) => {
    // The address holds the token of the share: it must not travel on, nor be found.
    response.set('X-Robots-Tag', 'noindex, nofollow');
    page(response, 'tv.html', TV_CACHE);
  });
  router.get('/docs/reference.css', (_request, response) => {
    response.set('Cache-Control', 'no-cache').type('css').send(REFERENCE_CSS);
  });
  router.get(['/docs', '/docs/:page'], (request, response, next) => {
    const html = referencePage(String(request.params.page ?? ''));
    if (html === undefined) next();
    else response.set('Cache-Control', 'no-cache').type('html').send(html);
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
      },
    }),
  );
  return router;
}

const NOT_BUILT = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Headframe</title>
<h1>The pages are not built yet</h1><p>Run <code>npm run build</code> and load this page again. The API and the broker work.</p></html>`;
