/** Progress of long work: a task read with a progress token is answered when its run has ended, and tells meanwhile how far it is. */
import type { ProgressToken, ServerNotification } from '@modelcontextprotocol/sdk/types.js';
import type { OperationName } from '#contract/operations.ts';
import { operationRow } from '#servers/invoke/json-schemas.ts';

const ENDED: ReadonlySet<unknown> = new Set(['completed', 'failed', 'canceled']);
const EVERY_MS = 500;
/** Clients give up after a minute by default. */
const LONGEST_MS = 50_000;

export interface ProgressWish {
  readonly token: ProgressToken;
  readonly signal: AbortSignal;
  send(notification: ServerNotification): Promise<void>;
}

/** The status block in what a task read answers: that of the run in a task, or the answer itself. */
function statusOf(body: Record<string, unknown>): Record<string, unknown> | null {
  return 'run' in body ? (body.run as Record<string, unknown> | null) : body;
}

/** Reads until the run has ended, the caller has gone, or it has taken long enough; tells each step that is news. */
export async function withProgress<T extends { readonly body: Record<string, unknown> }>(
  name: OperationName,
  wish: ProgressWish | undefined,
  read: () => Promise<T>,
): Promise<T> {
  let reply = await read();
  if (wish === undefined || operationRow(name).progress !== true) return reply;
  const until = performance.now() + LONGEST_MS;
  let told = '';
  let progress = 0;
  for (;;) {
    const run = statusOf(reply.body);
    if (run === null || ENDED.has(run.status)) return reply;
    const message = String(run.status_text ?? run.status ?? '');
    const percent = typeof run.progress_pct === 'number' ? run.progress_pct : null;
    if (`${message}${percent}` !== told) {
      told = `${message}${percent}`;
      // It must grow with every message (MCP, utilities/progress), also where nobody knows the whole.
      progress = Math.max(progress + 0.001, percent ?? 0);
      const params = { progressToken: wish.token, progress, ...(percent === null ? {} : { total: 100 }), message };
      await wish.send({ method: 'notifications/progress', params });
    }
    if (performance.now() >= until || wish.signal.aborted) return reply;
    await pause(wish.signal);
    reply = await read();
  }
}

/** True when the message asks for progress: then the answer is a stream. */
export function wantsProgress(message: unknown): boolean {
  const { params } = (message ?? {}) as { params?: { _meta?: { progressToken?: unknown } } };
  return params?._meta?.progressToken !== undefined;
}

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, EVERY_MS);
    signal.addEventListener('abort', done);
  });
}
