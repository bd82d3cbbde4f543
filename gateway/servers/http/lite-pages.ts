/**
 * The pages for old TVs at `/tv/lite`, whose browser cannot run the TV page. The gateway builds each page as HTML. A page without a link
 * shows a pairing code, and asks until a person has entered it. A page with a link shows one part of its boards after the other.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Express, Request, Response } from 'express';
import { OperationError } from '#contract/base/errors.ts';
import { LIMITS } from '#contract/base/limits.ts';
import type { OperationName, Output } from '#contract/operations.ts';
import type { LitePages } from '#contract/site/lite.ts';
import type { Feed, FeedSource } from '#contract/site/live.ts';
import type { Invoke } from '#servers/invoke/invoke.ts';
import { OPEN } from './auth.ts';
import type { Callers } from './callers.ts';
import type { Gatekeeper } from './gatekeeper.ts';
import { refuseMethod } from './operation-routes.ts';
import { contextOf } from './request-context.ts';

const PATH = '/tv/lite';
/** A link counts as used for this many milliseconds after a page with it was loaded. A page is loaded again after 10 s at the latest. */
const USED_MS = 30_000;
/** The largest number of links that count as used. Further links work, but the office page does not show when they were last used. */
const MOST_USED = LIMITS.streams.value;

export interface LiteOptions {
  readonly keeper: Gatekeeper;
  readonly callers: Callers;
  readonly invoke: Invoke;
  readonly feeds: FeedSource;
  readonly clock: () => number;
  /** Folder of the built pages. */
  readonly webRoot: string;
}

/** Adds the pages to the app. Disposing the returned object ends the use of all links. */
export function addLitePages(app: Express, options: LiteOptions): Disposable {
  const { keeper, callers, invoke, feeds, clock, webRoot } = options;
  const uses = createUses();
  let loading: Promise<LitePages> | undefined;

  /** Loads the module of the pages, once. Throws `backend_unavailable` if the pages are not built. */
  function load(): Promise<LitePages> {
    const file = join(webRoot, 'lite', 'pages.mjs');
    if (loading === undefined && !existsSync(file))
      throw new OperationError('backend_unavailable', 'The pages are not built yet. Run `npm run build`.');
    loading ??= import(pathToFileURL(file).href).then(({ pages }: { pages: LitePages }) => pages);
    return loading;
  }

  const callOf = (name: OperationName, request: Request, input: Record<string, unknown>) => ({
    name,
    caller: callers.callerOf(request, OPEN, 'rest'),
    input,
    project_id: undefined,
    idempotency_key: undefined,
    if_match: null,
    request_id: contextOf(request).id,
  });

  /** Begins a pairing, or asks for the result of the one in the address. Returns undefined if that one is not known any more. */
  async function pairingOf(request: Request, response: Response, device_code: string | null) {
    const name = device_code === null ? 'display_pairings_create' : 'display_pairings_poll';
    keeper.operation(name, request, response);
    try {
      const { body } = await invoke.call(callOf(name, request, device_code === null ? {} : { device_code }));
      return body as unknown as Output<'display_pairings_create'>;
    } catch (error) {
      if (device_code !== null && error instanceof OperationError && error.code === 'not_found') return undefined;
      throw error;
    }
  }

  async function servePairing(request: Request, response: Response): Promise<void> {
    const asked = new URL(request.url, 'http://gateway').searchParams.get('code');
    const pairing = await pairingOf(request, response, asked);
    if (pairing === undefined || pairing.status === 'expired_token') return response.redirect(PATH);
    if (pairing.share_url !== null)
      return response.redirect(new URL(pairing.share_url).pathname.replace(/^\/tv/, PATH));
    const code = asked ?? String(pairing.device_code);
    // The code is in the address from now on, so that the page asks for this pairing and begins no other one.
    if (asked === null) return response.redirect(`${PATH}?code=${encodeURIComponent(code)}`);
    const { user_code, verification_url } = pairing;
    const self = `${PATH}?code=${encodeURIComponent(code)}`;
    send(response, (await load()).pairing({ user_code, verification_url, self, language: languageOf(request) }));
  }

  async function serveBoards(share: string, request: Request, response: Response): Promise<void> {
    keeper.operation('display_live', request, response);
    await invoke.admit(callOf('display_live', request, { share }));
    const feed = await feeds.open({ share });
    const pages = await load();
    if (feed === undefined) {
      response.status(404);
      return send(response, pages.notice({ next: PATH, language: languageOf(request) }));
    }
    uses.note(share, feed);
    send(response, pages.boards({ snapshot: feed.snapshot(), now_ms: clock(), share }));
  }

  const serve = (path: string | RegExp, answer: (request: Request, response: Response) => Promise<void>) =>
    app.all(path, async (request, response) => {
      contextOf(request).operation = PATH;
      if (request.method !== 'GET' && request.method !== 'HEAD') refuseMethod(response, 'GET, HEAD');
      response.set('Cache-Control', 'no-store').set('X-Robots-Tag', 'noindex, nofollow');
      keeper.open(request, response);
      await answer(request, response);
    });
  serve(PATH, servePairing);
  // A display link has only these characters. Other addresses get the page that says that there is no such page.
  serve(/^\/tv\/lite\/([\w-]+)$/, (request, response) => serveBoards(String(request.params[0]), request, response));
  return uses;
}

/** Returns the language that a browser asks for first. */
const languageOf = (request: Request) => request.acceptsLanguages()[0];

function send(response: Response, html: string): void {
  response.type('html').send(html);
}

/** Keeps the link of each page in use for some time, as a screen with a stream does, so that the office page shows when it was last used. */
function createUses(): Disposable & { note(share: string, feed: Feed): void } {
  const used = new Map<string, { readonly timer: NodeJS.Timeout; readonly end: () => void }>();
  return {
    note(share, feed) {
      const before = used.get(share);
      if (before !== undefined) return void before.timer.refresh();
      if (used.size >= MOST_USED) return;
      const end = () => {
        used.delete(share);
        clearTimeout(timer);
        unsubscribe();
      };
      const timer = setTimeout(end, USED_MS).unref();
      const unsubscribe = feed.subscribe(({ name }) => {
        if (name === 'gone') end();
      });
      used.set(share, { timer, end });
    },
    [Symbol.dispose]() {
      for (const { end } of [...used.values()]) end();
    },
  };
}
