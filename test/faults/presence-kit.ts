/** Interleavings of what can happen to the connections of one device, and the sockets that play them. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { packet, subscribePacket, text, topicOf } from '#test/servers/mqtt/broker-rig.ts';

/** One thing that happens; `at` picks a socket, the newest first. */
export type Step =
  | {
      readonly do: 'connect';
      readonly id: number;
      readonly clean: boolean;
      readonly will: boolean;
      readonly wait: boolean;
    }
  | { readonly do: 'silent connect'; readonly id: number }
  | { readonly do: 'stranger'; readonly id: number }
  | { readonly do: 'fin' | 'rst' | 'disconnect' | 'garbage'; readonly at: number }
  | { readonly do: 'pause'; readonly ms: number }
  | { readonly do: 'timeout' }
  | { readonly do: 'restart' };

const at = fc.nat({ max: 2 });
const connectStep = (ids: number) =>
  fc.record({
    do: fc.constant('connect' as const),
    id: fc.nat({ max: ids - 1 }),
    clean: fc.boolean(),
    will: fc.boolean(),
    wait: fc.boolean(),
  });

/** Steps over so many client ids of a device; `restarts` where a test can restart what it connects to. */
export const interleaving = (ids: number, restarts: boolean) =>
  fc.array(
    fc.oneof(
      { weight: 8, arbitrary: connectStep(ids) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('silent connect' as const), id: fc.nat({ max: ids - 1 }) }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('stranger' as const), id: fc.nat({ max: ids - 1 }) }) },
      { weight: 4, arbitrary: fc.record({ do: fc.constant('fin' as const), at }) },
      { weight: 3, arbitrary: fc.record({ do: fc.constant('rst' as const), at }) },
      { weight: 2, arbitrary: fc.record({ do: fc.constant('disconnect' as const), at }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('garbage' as const), at }) },
      { weight: 5, arbitrary: fc.record({ do: fc.constant('pause' as const), ms: fc.nat({ max: 3 }) }) },
      { weight: 1, arbitrary: fc.constant<Step>({ do: 'timeout' }) },
      ...(restarts ? [{ weight: 1, arbitrary: fc.constant<Step>({ do: 'restart' }) }] : []),
    ),
    { minLength: 2, maxLength: 14 },
  ) as fc.Arbitrary<Step[]>;

/** A connection as its client sees it. */
export interface Peer {
  readonly id: string;
  readonly clean: boolean;
  /** The text of its last will. */
  readonly will: string | undefined;
  readonly silent: boolean;
  readonly stranger: boolean;
  readonly socket: Socket;
  /** CONNACK 0 has come. */
  admitted: boolean;
  /** It sent DISCONNECT. */
  farewell: boolean;
  closed: boolean;
  /** What came behind CONNACK. */
  received: Buffer;
}

/** The connections of one device, to a port that may change with a restart. */
export interface Unit {
  readonly device_id: string;
  readonly peers: Peer[];
  /** Plays one step; `timeout` and `restart` are the caller's. */
  play(step: Step): Promise<void>;
  /** Resolves when each connection was let in, or is closed. */
  settled(): Promise<void>;
  /** Connections that were let in and are not closed. */
  open(): Peer[];
  /** Ends all of them; resolves when they are closed. */
  end(): Promise<void>;
}

const PATIENCE_MS = 60_000;

/** Waits for something that must come; fails with what it was told. */
export async function soon(holds: () => boolean | Promise<boolean>, otherwise: () => string): Promise<void> {
  for (const late = performance.now() + PATIENCE_MS; !(await holds()); ) {
    if (performance.now() > late) throw new Error(otherwise());
    await sleep(2);
  }
}

function listen(peer: Peer): void {
  const { socket } = peer;
  let head = Buffer.alloc(0);
  socket.on('error', () => {});
  socket.on('close', () => {
    peer.closed = true;
  });
  socket.on('data', (chunk: Buffer) => {
    if (peer.admitted) peer.received = Buffer.concat([peer.received, chunk]);
    else {
      head = Buffer.concat([head, chunk]);
      if (head.length < 4) return;
      peer.admitted = head[0] === 0x20 && head[3] === 0;
      peer.received = head.subarray(4);
    }
  });
}

/** A device with no connections yet. */
export function createUnit(of: {
  readonly port: () => number;
  readonly device_id: string;
  readonly key: string;
}): Unit {
  const { port, device_id, key } = of;
  const peers: Peer[] = [];
  let made = 0;
  const pick = (back: number): Peer | undefined => peers.filter(({ closed }) => !closed).toReversed()[back];

  async function dial(id: number, as: { clean?: boolean; will?: boolean; silent?: boolean; stranger?: boolean }) {
    const { clean = true, silent = false, stranger = false } = as;
    const will = as.will ? `{"status":"offline","will":"${device_id} ${made++}"}` : undefined;
    const socket = connect(port(), '127.0.0.1');
    const peer: Peer = {
      id: `c${id}`,
      clean,
      will,
      silent,
      stranger,
      socket,
      admitted: false,
      farewell: false,
      closed: false,
      received: Buffer.alloc(0),
    };
    listen(peer);
    await Promise.race([once(socket, 'connect'), once(socket, 'close')]).catch(() => {});
    const flags = 0xc0 | (clean ? 2 : 0) | (will === undefined ? 0 : 4);
    const head = [...text('MQTT'), 4, flags, 0, silent ? 1 : 60];
    const left = will === undefined ? [] : [...text(topicOf(device_id, 'status')), ...text(will)];
    const who = [...text(device_id), ...text(stranger ? 'dk_wrong' : key)];
    socket.write(packet(0x10, head, text(peer.id), left, who));
    if (!clean) socket.write(subscribePacket(topicOf(device_id, 'commands'), 1));
    peers.push(peer);
    return peer;
  }

  async function end(peer: Peer | undefined, how: Step['do']): Promise<void> {
    if (peer === undefined) return;
    // Node loses a socket that is reset while its FIN is on the way.
    if (how === 'rst' && peer.socket.writable) peer.socket.resetAndDestroy();
    else if (how === 'rst') peer.socket.destroy();
    else if (how === 'garbage') peer.socket.write(Buffer.from([0xf0, 0]));
    else if (how === 'disconnect') {
      peer.farewell = true;
      peer.socket.end(packet(0xe0));
    } else peer.socket.end();
  }

  const unit: Unit = {
    device_id,
    peers,
    async play(step) {
      if (step.do === 'connect') {
        const peer = await dial(step.id, step);
        if (step.wait)
          await soon(
            () => peer.admitted || peer.closed,
            () => `${device_id}: no answer to CONNECT`,
          );
      } else if (step.do === 'silent connect') await dial(step.id, { silent: true });
      else if (step.do === 'stranger') await dial(step.id, { stranger: true });
      else if (step.do === 'pause') await sleep(step.ms);
      else if ('at' in step) await end(pick(step.at), step.do);
    },
    settled: () =>
      soon(
        () => peers.every(({ admitted, closed }) => admitted || closed),
        () => `${device_id}: a CONNECT without an answer`,
      ),
    open: () => peers.filter(({ admitted, closed }) => admitted && !closed),
    async end() {
      for (const { socket } of peers) socket.end();
      await soon(
        () => peers.every(({ closed }) => closed),
        () => `${device_id}: a socket does not close`,
      );
    },
  };
  return unit;
}
