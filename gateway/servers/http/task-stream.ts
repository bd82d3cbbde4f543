/**
 * Runs as server-sent events (HTML Living Standard 9.2): what was said, how it goes, and one terminal event.
 *
 *   message (id: its place in the run) ... run (no id) ... message ... terminal (id: one past the last message), end
 *
 * A stream keeps nothing of its own: it asks the same operations that anybody may call, so what it shows is what they show, and a
 * client that comes back with Last-Event-ID goes on behind it. Whoever has had the terminal event gets 204, which ends reconnecting.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { LIMITS } from '#contract/base/limits.ts';
import type { Output } from '#contract/operations.ts';
import { createPlaces } from '#servers/base/fair-share.ts';
import type { Invoke } from '#servers/invoke/invoke.ts';

type Call = Parameters<Invoke['call']>[0];
type Run = Output<'tasks_status'>;
type Messages = Output<'tasks_messages'>;

export interface TaskStreams extends Disposable {
  /** How many look right now. */
  readonly clients: number;
  /** Streams the run that the call names; throws before anything is sent. `allowed` is asked again whenever a key changes. */
  serve(
    request: IncomingMessage,
    response: ServerResponse,
    call: Call,
    allowed: () => Promise<boolean>,
    holder: string,
  ): Promise<void>;
  /** Ends the streams whose credential no longer allows them. */
  recheck(): Promise<void>;
}

const HEARTBEAT_MS = 15_000;
const MAX_CLIENTS = LIMITS.task_streams.value;
/** Streams of one key. */
const EACH = 25;
/** A client with more than this unread is dropped; it comes back and goes on behind what it has. */
const MAX_BUFFER = 256 * 1024;
const PAGE = 200;

const ENDED: ReadonlySet<Run['status']> = new Set(['completed', 'failed', 'canceled']);

/** Streams over the invoker. */
export function createTaskStreams(options: {
  invoke: Pick<Invoke, 'call' | 'watch'>;
  maxClients?: number;
  heartbeatMs?: number;
}): TaskStreams {
  const { invoke, maxClients = MAX_CLIENTS, heartbeatMs = HEARTBEAT_MS } = options;
  const clients = new Map<() => void, () => Promise<boolean>>();
  const places = createPlaces({ total: maxClients, each: EACH, what: 'task streams' });

  async function open(
    call: Call,
  ): Promise<{ run: Run; ask: (input: object) => Promise<Messages>; look: () => Promise<Run> }> {
    const { task_id } = call.input;
    const read = async (name: 'tasks_status' | 'tasks_messages', input: object) =>
      (await invoke.call({ ...call, name, input: { task_id, ...input } })).body;
    const { run_id } = call.input;
    const run = (await read('tasks_status', run_id === undefined ? {} : { run_id })) as unknown as Run;
    return {
      run,
      look: async () => (await read('tasks_status', { run_id: run.id })) as unknown as Run,
      ask: async (input) => (await read('tasks_messages', { run_id: run.id, ...input })) as unknown as Messages,
    };
  }

  return {
    get clients() {
      return clients.size;
    },
    async serve(request, response, call, allowed, holder) {
      const release = places.take(holder);
      response.on('close', release);
      const { run, ask, look } = await open(call).catch((error: unknown) => {
        release();
        throw error;
      });
      const had = /^\d{1,12}$/.exec(String(request.headers['last-event-id'] ?? ''))?.[0];
      let sent = had === undefined ? 0 : Number(had);
      const last = (await ask({ order: 'desc', limit: 1 })).data[0]?.sequence ?? 0;
      if (response.destroyed) return;
      if (ENDED.has(run.status) && sent > last) {
        response.writeHead(204, { 'Cache-Control': 'no-store' }).end();
        return;
      }
      sent = Math.min(sent, last);
      response.writeHead(200, {
        'Content-Type': 'text/event-stream; charset=utf-8',
        'Cache-Control': 'no-store',
        'X-Accel-Buffering': 'no',
      });
      request.socket.setNoDelay(true);

      let shown = '';
      let again = false;
      let pumping = false;
      const end = () => {
        if (!clients.delete(end)) return;
        clearInterval(beat);
        unwatch();
        response.end();
      };
      const write = (name: string, data: object, id?: number) => {
        if (response.writableLength > MAX_BUFFER) return end();
        response.write(`${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
      };
      /** Shows what is new; the run is read before its messages, so that an outcome never comes ahead of its last word. */
      async function pump(): Promise<void> {
        again = true;
        if (pumping) return;
        pumping = true;
        try {
          while (again && clients.has(end)) {
            again = false;
            const now = await look();
            for (let more = true; more && clients.has(end); ) {
              const page = await ask({ after_sequence: sent, limit: PAGE });
              for (const message of page.data) {
                sent = message.sequence;
                write('message', message, sent);
              }
              more = page.has_more;
            }
            const text = JSON.stringify(now);
            if (text !== shown) write('run', now);
            shown = text;
            if (!ENDED.has(now.status)) continue;
            write('terminal', now, sent + 1);
            end();
          }
        } catch {
          // What cannot be read any more cannot be followed either; the client comes back and is told why.
          end();
        } finally {
          pumping = false;
        }
      }
      const unwatch = invoke.watch(run.project_id, (changes) => {
        const touched = changes.some(
          ({ document: { id, data } }) => id === run.id || (data as { run_id?: unknown }).run_id === run.id,
        );
        if (touched) void pump();
      });
      const beat = setInterval(() => {
        response.write(': heartbeat\n\n');
        void pump();
      }, heartbeatMs);
      beat.unref();
      clients.set(end, allowed);
      response.on('close', end);
      response.on('error', end);
      // The key may have been revoked while the run was read, when nobody knew of this client.
      if (!(await allowed())) return end();
      await pump();
    },
    async recheck() {
      for (const [end, allowed] of [...clients]) if (!(await allowed())) end();
    },
    [Symbol.dispose]() {
      for (const end of [...clients.keys()]) end();
    },
  };
}
