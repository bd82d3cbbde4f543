/** Reads files and plans long texts for setups: one after the other, each in a thread of its own. */
import { OperationError } from '#contract/base/errors.ts';
import { type GivenFile, type JoinedText, MAX_FILE_BYTES } from '#contract/site/setup.ts';
import type { SetupReader } from '#contract/site/setup-plan.ts';
import { planSite } from '#domain/planner/plan.ts';
import type { SitePlan } from '#domain/planner/plan-types.ts';
import { planAnswer } from '#domain/setup/plan-answer.ts';
import { joinTexts, type NamedText } from './joined-text.ts';
import { fetchPage, type PageOptions } from './page-fetch.ts';
import { inThread, ReadingDied } from './reading-thread.ts';
import { type FileText, Unreadable } from './reading-types.ts';

/** A file of the largest size needs a few seconds, but a slow host under load needs more. */
const READ_MS = 20_000;
const PLAN_MS = 60_000;
const QUEUE = 8;
/** A text of this length is planned at once, in a third of a second. Starting a thread takes about as long. */
const SHORT_TEXT = 20_000;

/** The reader of a gateway. Its plan is that of the planner. */
export interface SiteReader {
  readonly join: (description: string, files: readonly GivenFile[]) => Promise<JoinedText>;
  readonly plan: (text: string) => Promise<SitePlan>;
  /** Fetches and reads a web page. A page that cannot be read has no text, and a gap. */
  readonly page: (url: string) => Promise<JoinedText>;
}

export interface SiteReaderOptions {
  /** Time limit of one file in milliseconds, and the file of the thread; only tests set them. */
  readonly read_ms?: number;
  readonly worker?: URL;
  readonly page?: PageOptions;
}

export function createSiteReader({ read_ms = READ_MS, worker, page }: SiteReaderOptions = {}): SiteReader {
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();

  /** Waits for the jobs before, so that only one thread needs memory at a time. */
  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (waiting >= QUEUE)
      throw new OperationError(
        'rate_limited',
        `${QUEUE} setups wait for their files to be read; try again in a moment.`,
      );
    waiting++;
    const done = last.then(work).finally(() => {
      waiting--;
    });
    last = done.catch(() => undefined);
    return done;
  }

  /** Reads one file. A file that cannot be read has no lines, and a gap. */
  async function read(file: GivenFile): Promise<NamedText> {
    const { name } = file;
    try {
      const { lines, gaps }: FileText = await inThread({ read: file }, { deadline_ms: read_ms, worker });
      return { name, lines, gaps };
    } catch (error) {
      if (error instanceof Unreadable) return { name, lines: [], gaps: [error.gap] };
      if (!(error instanceof ReadingDied)) throw error;
      const message = `The gateway stopped reading the file: ${error.message}.`;
      const remedy = 'Copy what describes the site into a new file, or into the description.';
      return { name, lines: [], gaps: [{ code: 'file_unreadable', message, remedy }] };
    }
  }

  return {
    join: (description, files) =>
      inTurn(async () => {
        const total = files.reduce((sum, { content }) => sum + content.length, 0);
        if (total > MAX_FILE_BYTES)
          throw new OperationError('payload_too_large', `The files have more than ${MAX_FILE_BYTES} bytes in all.`);
        const read_files: NamedText[] = [];
        for (const file of files) read_files.push(await read(file));
        return joinTexts(description, read_files);
      }),
    async page(url) {
      try {
        const { content, name } = await fetchPage(url, page);
        return inTurn(async () => joinTexts('', [{ ...(await read({ name, content })), name: url }]));
      } catch (error) {
        if (!(error instanceof Unreadable)) throw error;
        return { text: '', places: [], gaps: [{ ...error.gap, file: url }] };
      }
    },
    async plan(text) {
      if (text.length <= SHORT_TEXT) return planSite(text);
      return inTurn(() => inThread({ plan: text }, { deadline_ms: PLAN_MS, worker }));
    },
  };
}

/** The reader as handlers use it: its plan is the answer of an operation. */
export const setupReaderOf = ({ join, plan }: SiteReader): SetupReader => ({
  join,
  plan: async (joined) => planAnswer(await plan(joined.text), joined),
});
