/**
 * A site of a load test: the protocol, the messages and the HTTP of a real site with an enrolment of its own, over tables in memory in place
 * of a data folder. It has no broker, no history and no pages, so that a thousand of them fit into one process.
 */
import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { makeId } from '#contract/base/ids.ts';
import type { Client } from '#contract/client.ts';
import type { LocalWrite } from '#domain/sync/node.ts';
import type { SyncStore } from '#store/sync/replica.ts';
import { syncEnv } from '#store/sync/sync-env.ts';
import { gatherMs } from '#sync/gather.ts';
import { Session } from '#sync/sessions.ts';
import { HINT_HEADER, MEDIA_TYPE } from '#sync/wire/frame.ts';
import { decodeRequest } from '#sync/wire/messages.ts';
import { MemoryTwin } from '#test/sim/sync/twin.ts';
import { openRig } from './handler-rig.ts';

/** The most requests of one drain, as a real site has it. */
const TURN = 20;

const env = () => syncEnv({ random: (count) => randomBytes(count) }, Date.now());

export const newId = (kind: Parameters<typeof makeId>[0]): string => makeId(kind, Date.now(), randomBytes(10));

/** The documents of a real site with one machine: the samples from which the sites of a load test are made. */
export interface Samples {
  readonly project: LocalWrite;
  readonly machine: LocalWrite;
  readonly live: LocalWrite;
  readonly event: LocalWrite;
  /** An open repair ticket of the machine. */
  readonly ticket: LocalWrite;
}

export async function readSamples(): Promise<Samples> {
  await using rig = await openRig();
  const made = (await rig.call('equipment_create', {
    unit_number: 'HT-1',
    name: 'Haul truck',
    oem_name: 'Caterpillar',
    model: '777G',
    serial_number: 'CAT0777G1000',
  })) as { id: string };
  const ticket = (await rig.call('repair_tickets_create', { equipment_id: made.id, title: 'Brake fades' })) as {
    id: string;
  };
  const view = rig.store.view(rig.project);
  const of = async (collection: 'records' | 'live', id: string, at = view): Promise<LocalWrite> => {
    const found = await at.get(collection, id);
    if (found === undefined) throw new Error(`a site makes no ${collection} ${id}`);
    return { collection, id, object: found.object, data: found.data };
  };
  const [event] = await view.find('events', { object: 'event', where: { 'data.subject.id': made.id }, limit: 1 });
  if (event === undefined) throw new Error('a site makes no event of a new machine');
  return {
    project: await of('records', rig.project, rig.store.node),
    machine: await of('records', made.id),
    live: await of('live', made.id),
    ticket: await of('records', ticket.id),
    event: { collection: 'events', id: event.id, object: event.object, data: event.data },
  };
}

export interface WireSiteOptions {
  readonly url: string;
  readonly gateway_id: string;
  readonly credential: string;
  /** The address from which the site calls, such as 127.0.0.7: limits by address count the sites apart. */
  readonly address: string;
  /** Called with the milliseconds that head office took for a push. */
  readonly pushed?: (ms: number) => void;
}

/** Enrols a gateway at head office: makes a code as an administrator, and uses the code as the gateway. */
export async function enrolWireSite(
  office: Client,
  { url, address }: Pick<WireSiteOptions, 'url' | 'address'>,
  name: string,
): Promise<WireSiteOptions> {
  const { code } = await office.call('sync_enrolments_create', { name });
  const gateway_id = newId('gateway');
  const body = JSON.stringify({ code, gateway_id, version: '0.1.0' });
  const agent = new Agent({ localAddress: address });
  const { bytes } = await send(agent, `${url}/api/v1/sync/enrol`, 201, { 'content-type': 'application/json' }, body);
  agent.destroy();
  return { url, address, gateway_id, credential: (JSON.parse(bytes.toString()) as { secret: string }).secret };
}

async function send(
  agent: Agent,
  url: string,
  status: number,
  headers: Readonly<Record<string, string>>,
  body?: string | Uint8Array,
  signal?: AbortSignal,
): Promise<{ bytes: Buffer; hint: string | undefined }> {
  return await new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST';
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const asked = request(url, { method, agent, headers: { ...headers, ...length }, ...(signal && { signal }) });
    asked.on('error', reject);
    asked.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const bytes = Buffer.concat(chunks);
        if (response.statusCode === status) resolve({ bytes, hint: String(response.headers[HINT_HEADER]) });
        else reject(new Error(`${url} was answered ${response.statusCode}: ${bytes.toString()}`));
      });
    });
    asked.end(body);
  });
}

export class WireSite implements Disposable {
  readonly project = newId('project');
  readonly #options: WireSiteOptions;
  readonly #twin: MemoryTwin;
  readonly #session: Session;
  readonly #agent: Agent;
  readonly #hints: Agent;
  readonly #ending = new AbortController();

  constructor(options: WireSiteOptions) {
    this.#options = options;
    this.#twin = new MemoryTwin(options.gateway_id, randomBytes(12).toString('base64url'));
    const twin = this.#twin;
    const store: SyncStore = {
      projects: () => [this.project],
      join: async () => {},
      count: async () => false,
      run: async (_, work) => twin.run((tx) => work(tx, env())),
      removable: async () => [],
      counts: async () => [],
    };
    this.#session = new Session(this.project, store);
    this.#agent = new Agent({ keepAlive: true, maxSockets: 4, localAddress: options.address });
    this.#hints = new Agent({ keepAlive: true, maxSockets: 1, localAddress: options.address });
  }

  commit(writes: readonly LocalWrite[]): void {
    this.#twin.commit(env(), writes);
  }

  /** Exchanges until nothing waits. Returns how many requests there were. */
  async drain(): Promise<number> {
    const { url, credential, pushed } = this.#options;
    const headers = { authorization: `Bearer ${credential}`, 'content-type': MEDIA_TYPE };
    let asked = 0;
    for (;;) {
      const some = await this.#session.drain(
        async (message) => {
          const from = performance.now();
          const { bytes } = await send(this.#agent, `${url}/api/v1/sync/messages`, 200, headers, message);
          const took = performance.now() - from;
          if (pushed !== undefined && decodeRequest(message).request.type === 'push') pushed(took);
          return bytes;
        },
        TURN,
        () => this.#ending.signal.aborted,
      );
      asked += some;
      if (some < TURN) return asked;
    }
  }

  /** Exchanges again and again, as a site does that people and machines write to. */
  async follow(): Promise<void> {
    while (!this.#ending.signal.aborted) {
      const from = performance.now();
      await this.drain();
      await pause(gatherMs(performance.now() - from, this.#session.page_ms));
    }
  }

  /** Waits for hints of head office, one after the other. */
  async listen(): Promise<void> {
    const { url, credential } = this.#options;
    let after = '';
    while (!this.#ending.signal.aborted) {
      const query = new URLSearchParams({
        ...(after !== '' && { after }),
        version: '0.1.0',
        waiting: '0',
        problems: '0',
      });
      const path = `${url}/api/v1/sync/hints?${query}`;
      const headers = { authorization: `Bearer ${credential}` };
      const got = await send(this.#hints, path, 204, headers, undefined, this.#ending.signal).catch(
        (error: unknown) => {
          if (this.#ending.signal.aborted) return undefined;
          throw error;
        },
      );
      if (got?.hint !== undefined) after = got.hint;
    }
  }

  [Symbol.dispose](): void {
    this.#ending.abort();
    this.#agent.destroy();
    this.#hints.destroy();
  }
}
