/**
 * Reports the progress of a run (one attempt to carry out a task). If a client reads a task with a progress token, the gateway answers when
 * the run has ended, or after 50 s. Until then the gateway sends a progress notification for each change.
 */
import type { ProgressToken, ServerNotification } from '@modelcontextprotocol/sdk/types.js';
import type { OperationName } from '#contract/operations.ts';
import { operationRow } from '#servers/invoke/json-schemas.ts';

const ENDED: ReadonlySet<unknown> = new Set(['completed', 'failed', 'canceled']);
const POLL_MS = 500;
/** Longest wait for the end of a run. By default an MCP client stops waiting after 60 s. */
const LONGEST_MS = 50_000;

export interface ProgressWish {
  readonly token: ProgressToken;
  readonly signal: AbortSignal;
  send(notification: ServerNotification): Promise<void>;
}

/** Returns the object with `status` and `progress_pct`: the `run` of a task, or the body itself. */
function statusOf(body: Record<string, unknown>): Record<string, unknown> | null {
  return 'run' in body ? (body.run as Record<string, unknown> | null) : body;
}

/**
 * Repeats `read` until the run has ended, the caller has disconnected, or 50 s have passed, and returns the last reply. Sends a
 * notification whenever status text or percentage change. Without a progress token it calls `read` once.
 */
export async function withProgress<T extends { readonly body: Record<string, unknown> }>(
  name: OperationName,
  wish: ProgressWish | undefined,
  read: () => Promise<T>,
): Promise<T> {
  let reply = await read();
  if (wish === undefined || operationRow(name).progress !== true) return reply;
  const until = performance.now() + LONGEST_MS;
  let sent = '';
  let progress = 0;
  for (;;) {
    const run = statusOf(reply.body);
    if (run === null || ENDED.has(run.status)) return reply;
    const message = String(run.status_text ?? run.status ?? '');
    const percent = typeof run.progress_pct === 'number' ? run.progress_pct : null;
    if (`${message}${percent}` !== sent) {
      sent = `${message}${percent}`;
      // `progress` must grow with every notification (MCP, utilities/progress), also when the percentage is unknown or unchanged.
      progress = Math.max(progress + 0.001, percent ?? 0);
      const params = { progressToken: wish.token, progress, ...(percent === null ? {} : { total: 100 }), message };
      await wish.send({ method: 'notifications/progress', params });
    }
    if (performance.now() >= until || wish.signal.aborted) return reply;
    await pause(wish.signal);
    reply = await read();
  }
}

/** Returns true if the message has a progress token. The answer to such a message is an SSE stream. */
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
    const timer = setTimeout(done, POLL_MS);
    signal.addEventListener('abort', done);
  });
}
