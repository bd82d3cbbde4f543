/** Reads files and plans long texts for setups: one after the other, each in a thread of its own. */
import { OperationError } from '#contract/base/errors.ts';
import { type Sayable, say } from '#contract/base/told.ts';
import { type GivenFile, type JoinedText, MAX_FILE_BYTES } from '#contract/site/setup.ts';
import type { SetupReader } from '#contract/site/setup-plan.ts';
import { planSite } from '#domain/planner/plan.ts';
import type { SitePlan } from '#domain/planner/plan-types.ts';
import { planAnswer } from '#domain/setup/plan-answer.ts';
import { joinTexts, type NamedText } from './joined-text.ts';
import { fetchPage, type PageOptions } from './page-fetch.ts';
import { inThread, ReadingDied } from './reading-thread.ts';
import { type FileText, type PartGap, Unreadable } from './reading-types.ts';

/** A file of the largest size needs a few seconds, but a slow host under load needs more. */
const READ_MS = 20_000;
const PLAN_MS = 60_000;
/** A request waits at most this long for its turn and for its files, and then as long for its turn and its plan. */
const REQUEST_MS = 55_000;
const QUEUE = 8;
/** A text of this length is planned at once, in a third of a second. Starting a thread takes about as long. */
const SHORT_TEXT = 20_000;

/** The reader of a gateway. Its plan is that of the planner. A signal ends the work at once. */
export interface SiteReader {
  readonly join: (description: string, files: readonly GivenFile[]) => Promise<JoinedText>;
  /** Throws `backend_unavailable` if the thread of the planner fails. With the signal of a run, it waits for its turn without a limit. */
  readonly plan: (text: string, signal?: AbortSignal) => Promise<SitePlan>;
  /** Fetches and reads a web page for a run. A page that cannot be read has no text, and a gap. */
  readonly page: (url: string, signal: AbortSignal) => Promise<JoinedText>;
}

export interface SiteReaderOptions {
  /** Time limits of one file and of a request in milliseconds, and the file of the thread; only tests set them. */
  readonly read_ms?: number;
  readonly request_ms?: number;
  readonly worker?: URL;
  readonly page?: PageOptions;
  readonly log?: (level: 'error', message: string, fields: { readonly error: string }) => void;
}

const busy = (message: Sayable): OperationError => new OperationError('rate_limited', message);

/** A page without text is no scanned one: a program in it makes its text. */
const ofPage = (gap: PartGap): PartGap =>
  gap.code === 'file_without_text'
    ? {
        code: 'page_not_read',
        message: 'The page has no text. A program in the page may make it.',
        remedy: 'Copy the text of the page into the description.',
      }
    : gap;

/** Rejects with the reason of the signal when it is aborted. */
function untilAborted(signal: AbortSignal): { readonly promise: Promise<never>; readonly forget: () => void } {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = () => reject(signal.reason);
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  promise.catch(() => undefined);
  return { promise, forget: () => signal.removeEventListener('abort', stop) };
}

export function createSiteReader(options: SiteReaderOptions = {}): SiteReader {
  const { read_ms = READ_MS, request_ms = REQUEST_MS, worker, page, log } = options;
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();

  /** Waits for the jobs before, so that only one thread needs memory at a time. */
  async function inTurn<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const before = last;
    const { promise: done, resolve } = Promise.withResolvers<void>();
    last = before.then(() => done);
    const aborted = untilAborted(signal);
    try {
      await Promise.race([before, aborted.promise]);
      return await work();
    } finally {
      aborted.forget();
      resolve();
    }
  }

  /** Does the work of a request in its turn. It is refused if too many wait, or if its turn and its work take too long. */
  async function ofRequest<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (waiting >= QUEUE)
      throw busy(say('{queue} setups wait for their files to be read; try again in a moment.', { queue: QUEUE }));
    waiting++;
    const late = busy(
      say('The gateway had no time to read this within {seconds} s. Try again later, or with less.', {
        seconds: request_ms / 1000,
      }),
    );
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(late), request_ms);
    try {
      return await inTurn(limit.signal, () => work(limit.signal));
    } finally {
      clearTimeout(timer);
      waiting--;
    }
  }

  function noteDeath(what: string, { message, cause }: ReadingDied): void {
    const error = cause instanceof Error ? cause.message : String(cause ?? message);
    log?.('error', `the thread that ${what} ended without an answer`, { error });
  }

  /** Reads one file. A file that cannot be read has no lines, and a gap. */
  async function read(file: GivenFile, signal: AbortSignal): Promise<NamedText> {
    const { name } = file;
    try {
      const { lines, gaps }: FileText = await inThread({ read: file }, { deadline_ms: read_ms, worker, signal });
      return { name, lines, gaps };
    } catch (error) {
      if (error instanceof Unreadable) return { name, lines: [], gaps: [error.gap] };
      if (!(error instanceof ReadingDied)) throw error;
      noteDeath('reads a file', error);
      const message = `The gateway stopped reading the file: ${error.message}.`;
      const remedy = 'Copy what describes the site into a new file, or into the description.';
      return { name, lines: [], gaps: [{ code: 'file_unreadable', message, remedy }] };
    }
  }

  async function planInThread(text: string, signal: AbortSignal): Promise<SitePlan> {
    try {
      return await inThread({ plan: text }, { deadline_ms: PLAN_MS, worker, signal });
    } catch (error) {
      if (!(error instanceof ReadingDied)) throw error;
      noteDeath('plans a text', error);
      throw new OperationError(
        'backend_unavailable',
        say('The gateway stopped planning the text: {message}. Set up the site with a part of the text.', {
          message: error.message,
        }),
      );
    }
  }

  return {
    join: (description, files) =>
      ofRequest(async (signal) => {
        const total = files.reduce((sum, { content }) => sum + content.length, 0);
        if (total > MAX_FILE_BYTES)
          throw new OperationError(
            'payload_too_large',
            say('The files have more than {max_file_bytes} bytes in all.', { max_file_bytes: MAX_FILE_BYTES }),
          );
        if (new Set(files.map(({ name }) => name)).size < files.length)
          throw new OperationError('parameter_invalid', 'Two files have the same name.');
        const read_files: NamedText[] = [];
        for (const file of files) read_files.push(await read(file, signal));
        return joinTexts(description, read_files);
      }),
    async page(url, signal) {
      try {
        const { content, name } = await fetchPage(url, { ...page, signal });
        return await inTurn(signal, async () => {
          const { lines, gaps } = await read({ name, content }, signal);
          return joinTexts('', [{ name: url, lines, gaps: gaps.map(ofPage) }]);
        });
      } catch (error) {
        if (!(error instanceof Unreadable)) throw error;
        return { text: '', places: [], gaps: [{ ...error.gap, file: url }] };
      }
    },
    async plan(text, signal) {
      if (text.length <= SHORT_TEXT) return planSite(text);
      return signal === undefined
        ? ofRequest((limit) => planInThread(text, limit))
        : inTurn(signal, () => planInThread(text, signal));
    },
  };
}

/** The reader as handlers use it: its plan is the answer of an operation. */
export const setupReaderOf = ({ join, plan }: SiteReader): SetupReader => ({
  join,
  plan: async (joined) => planAnswer(await plan(joined.text), joined),
});
