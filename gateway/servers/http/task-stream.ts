/**
 * Streams a run (one attempt to carry out a task) as server-sent events (HTML Living Standard 9.2): its messages, its state, and one last
 * event with the name `terminal`.
 *
 *   message (id: its sequence number in the run) ... run (no id) ... message ... terminal (id: that of the last message + 1), end
 *
 * A stream stores nothing. It reads the run through the same operations that clients call. A client that reconnects with Last-Event-ID
 * continues after the message with that id. A client that already got the terminal event gets 204, so its EventSource does not reconnect.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { LIMITS } from '#contract/base/limits.ts';
import type { Change } from '#contract/base/view.ts';
import type { Output } from '#contract/operations.ts';
import { createPlaces } from '#servers/base/fair-share.ts';
import type { Invoke } from '#servers/invoke/invoke.ts';

type Call = Parameters<Invoke['call']>[0];
type Run = Output<'tasks_status'>;
type Messages = Output<'tasks_messages'>;

export interface TaskStreams extends Disposable {
  /** Number of open streams. */
  readonly clients: number;
  /**
   * Streams the run that the call names. If the run cannot be streamed, throws before it sends anything. The stream calls `allowed` again
   * whenever a key changes.
   */
  serve(
    request: IncomingMessage,
    response: ServerResponse,
    call: Call,
    allowed: () => Promise<boolean>,
    holder: string,
  ): Promise<void>;
  /** Ends each stream with a key that no longer allows the stream. */
  recheck(): Promise<void>;
}

const HEARTBEAT_MS = 15_000;
const MAX_CLIENTS = LIMITS.task_streams.value;
/** Limit for the streams of one key. */
const EACH = 25;
/** Limit for the unread bytes of a client. A slower client is disconnected; it can reconnect and continue after its last message. */
const MAX_BUFFER = 256 * 1024;
const PAGE = 200;

const ENDED: ReadonlySet<Run['status']> = new Set(['completed', 'failed', 'canceled']);

/** Creates the task streams. They read runs through `invoke`. */
export function createTaskStreams(options: {
  invoke: Pick<Invoke, 'call' | 'watch'>;
  maxClients?: number;
  heartbeatMs?: number;
}): TaskStreams {
  const { invoke, maxClients = MAX_CLIENTS, heartbeatMs = HEARTBEAT_MS } = options;
  const clients = new Map<RunStream, () => Promise<boolean>>();
  const places = createPlaces({ total: maxClients, each: EACH, what: 'task streams' });

  return {
    get clients() {
      return clients.size;
    },
    async serve(request, response, call, allowed, holder) {
      const release = places.take(holder);
      response.on('close', release);
      const reader = await openRun(invoke, call).catch((error: unknown) => {
        release();
        throw error;
      });
      const received = /^\d{1,12}$/.exec(String(request.headers['last-event-id'] ?? ''))?.[0];
      const after = received === undefined ? 0 : Number(received);
      const last = (await reader.readMessages({ order: 'desc', limit: 1 })).data[0]?.sequence ?? 0;
      if (response.destroyed) return;
      if (ENDED.has(reader.run.status) && after > last) {
        response.writeHead(204, { 'Cache-Control': 'no-store' }).end();
        return;
      }
      response.writeHead(200, {
        'Content-Type': 'text/event-stream; charset=utf-8',
        'Cache-Control': 'no-store',
        'X-Accel-Buffering': 'no',
      });
      request.socket.setNoDelay(true);
      const stream = new RunStream(response, reader, Math.min(after, last));
      const unwatch = invoke.watch(reader.run.project_id, (changes) => stream.follow(changes));
      const beat = setInterval(() => stream.heartbeat(), heartbeatMs);
      beat.unref();
      stream.onEnd = () => {
        clients.delete(stream);
        clearInterval(beat);
        unwatch();
      };
      clients.set(stream, allowed);
      response.on('close', () => stream.end());
      response.on('error', () => stream.end());
      // Check again. Somebody may have revoked the key while the run was read, and `recheck` did not know this stream at that time.
      if (!(await allowed())) return stream.end();
      await stream.send();
    },
    async recheck() {
      for (const [stream, allowed] of [...clients]) if (!(await allowed())) stream.end();
    },
    [Symbol.dispose]() {
      for (const stream of [...clients.keys()]) stream.end();
    },
  };
}

/** A run, and the functions that read it again with the key of the call. */
interface RunReader {
  readonly run: Run;
  readRun(): Promise<Run>;
  readMessages(input: object): Promise<Messages>;
}

/** Reads the run that the call names; without a run id, the latest run of the task. */
async function openRun(invoke: Pick<Invoke, 'call'>, call: Call): Promise<RunReader> {
  const { task_id, run_id } = call.input;
  const readRun = async (input: object) =>
    (await invoke.call({ ...call, name: 'tasks_status', input: { task_id, ...input } })).body as unknown as Run;
  const run = await readRun(run_id === undefined ? {} : { run_id });
  return {
    run,
    readRun: () => readRun({ run_id: run.id }),
    async readMessages(input) {
      const all = { task_id, run_id: run.id, ...input };
      return (await invoke.call({ ...call, name: 'tasks_messages', input: all })).body as unknown as Messages;
    },
  };
}

/** One open stream. */
class RunStream {
  /** Called once, when the stream ends. */
  onEnd: () => void = () => {};
  readonly #response: ServerResponse;
  readonly #reader: RunReader;
  /** Sequence number of the last message that was sent. */
  #sent: number;
  /** JSON of the run as the stream sent it last. */
  #lastRun = '';
  #ended = false;
  #sending = false;
  /** True if the run changed while the stream was sending. The stream then reads the run once more. */
  #changed = false;

  constructor(response: ServerResponse, reader: RunReader, sent: number) {
    this.#response = response;
    this.#reader = reader;
    this.#sent = sent;
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.onEnd();
    this.#response.end();
  }

  heartbeat(): void {
    this.#response.write(': heartbeat\n\n');
    void this.send();
  }

  /** Sends new messages and state after a commit that changed the run or one of its messages. */
  follow(changes: readonly Change[]): void {
    const { id: run } = this.#reader.run;
    if (changes.some(({ document: { id, data } }) => id === run || data.run_id === run)) void this.send();
  }

  /** Sends new messages and the new state. If it is called while it runs, it reads the run once more at its end. */
  async send(): Promise<void> {
    this.#changed = true;
    if (this.#sending) return;
    this.#sending = true;
    try {
      while (this.#changed && !this.#ended) {
        this.#changed = false;
        await this.#sendNews();
      }
    } catch {
      // The run can no longer be read. End the stream: the client reconnects and then gets the error.
      this.end();
    } finally {
      this.#sending = false;
    }
  }

  /** Reads the run before its messages, so that the terminal event never precedes the last message. */
  async #sendNews(): Promise<void> {
    const now = await this.#reader.readRun();
    for (let more = true; more && !this.#ended; ) {
      const page = await this.#reader.readMessages({ after_sequence: this.#sent, limit: PAGE });
      for (const message of page.data) {
        this.#sent = message.sequence;
        this.#write('message', message, this.#sent);
      }
      more = page.has_more;
    }
    const text = JSON.stringify(now);
    if (text !== this.#lastRun) this.#write('run', now);
    this.#lastRun = text;
    if (!ENDED.has(now.status)) return;
    this.#write('terminal', now, this.#sent + 1);
    this.end();
  }

  #write(name: string, data: object, id?: number): void {
    if (this.#ended) return;
    if (this.#response.writableLength > MAX_BUFFER) {
      this.end();
      return;
    }
    this.#response.write(`${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
  }
}
