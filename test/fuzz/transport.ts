/**
 * Control units that talk at once over J1939 transport, as a listener hears it: packets lost and doubled, connections rewound, held,
 * left without an end and aborted from either side, floods of announcements, clocks that jump, nonsense in between. After each frame:
 * nothing thrown; a message that comes out is the one that was sent, byte for byte. Now and then: every session that was opened is
 * still open or ended once. After each round: what nothing happened to has come out. At the end: no growth.
 *
 *   node --expose-gc test/fuzz/transport.ts [MINUTES] [SEED]
 */
import { FRAME, FrameBatch } from '#contract/fleet/frame.ts';
import { AddressBook } from '#domain/j1939/addresses.ts';
import { BusInventory } from '#domain/j1939/bus-inventory.ts';
import { createDecoder } from '#domain/j1939/decode.ts';
import { identifier } from '#domain/j1939/encode.ts';
import { GLOBAL_ADDRESS, PGN } from '#domain/j1939/identifier.ts';
import { createTransport, MAX_SESSIONS, type Transport } from '#domain/j1939/transport.ts';
import { Random } from '#test/sim/random.ts';

export interface TransportFuzzResult {
  readonly rounds: number;
  readonly frames: number;
  /** Conversations, those that nothing happened to, and messages that came out. */
  readonly conversations: number;
  readonly untouched: number;
  readonly messages: number;
  /** Of the heap over the second half, in MB. */
  readonly growth_mb: number;
}

interface Heard {
  readonly control: boolean;
  readonly from: number;
  readonly to: number;
  readonly data: Uint8Array;
}

/** What one unit tells another, or all; its frames in the order in which they are sent. */
interface Conversation {
  readonly sa: number;
  readonly da: number;
  readonly payload: Uint8Array;
  readonly frames: Heard[];
  /** Nothing was done to it: it must come out, once. */
  untouched: boolean;
  came: number;
}

const GROUPS = [PGN.dm1, PGN.dm2, PGN.vehicleIdentification, PGN.componentIdentification, 0xef00, 65251] as const;
const T0 = 1.79e15;
const STEP_US = 3_000;

const group = (pgn: number) => [pgn & 0xff, (pgn >> 8) & 0xff, pgn >> 16];

function packet(payload: Uint8Array, number: number): Uint8Array {
  const data = new Uint8Array(8).fill(0xff);
  data[0] = number;
  data.set(payload.subarray((number - 1) * 7, number * 7), 1);
  return data;
}

/** `first`: nothing of the pair is open, so that even its announcement may be lost; else its packets would fit what is open. */
function converse(random: Random, sa: number, da: number, first: boolean): Conversation {
  const size = random.int(12) === 0 ? 9 + random.int(1777) : 9 + random.int(60);
  const payload = Uint8Array.from({ length: size }, () => random.int(256));
  const pgn = GROUPS[random.int(GROUPS.length)] as number;
  const packets = Math.ceil(size / 7);
  const frames: Heard[] = [];
  const control = (from: number, to: number, ...bytes: number[]) =>
    frames.push({ control: true, from, to, data: Uint8Array.from([...bytes, ...group(pgn)]) });
  const send = (number: number) => frames.push({ control: false, from: sa, to: da, data: packet(payload, number) });
  let untouched = true;
  if (da === GLOBAL_ADDRESS) {
    control(sa, da, 0x20, size & 0xff, size >> 8, packets, 0xff);
    for (let n = 1; n <= packets; n++) send(n);
  } else {
    control(sa, da, 0x10, size & 0xff, size >> 8, packets, 0xff);
    for (let next = 1; next <= packets; ) {
      // Held for a while, as a receiver does that has no room.
      for (let n = random.int(8) === 0 ? random.int(3) : 0; n > 0; n--) control(da, sa, 0x11, 0, 0xff, 0xff, 0xff);
      const wanted = Math.min(1 + random.int(16), packets - next + 1);
      control(da, sa, 0x11, wanted, next, 0xff, 0xff);
      for (let n = 0; n < wanted; n++) send(next + n);
      // The receiver asks for some of it again.
      next = random.int(6) === 0 ? Math.max(1, next + wanted - random.int(6)) : next + wanted;
      if (random.int(60) === 0) {
        const [from, to] = random.int(2) === 0 ? [sa, da] : [da, sa];
        control(from as number, to as number, 0xff, 1 + random.int(9), 0xff, 0xff, 0xff);
        untouched = false;
        break;
      }
    }
    if (random.int(3) > 0) control(da, sa, 0x13, size & 0xff, size >> 8, packets, 0xff);
  }
  // Lost, or said twice at once.
  if (random.int(3) === 0) {
    for (let n = 1 + random.int(3); n > 0; n--) {
      untouched = false;
      const at = first ? random.int(frames.length) : 1 + random.int(frames.length - 1);
      const frame = frames[at];
      if (frame === undefined) continue;
      if (random.int(2) === 0) frames.splice(at, 1);
      else frames.splice(at, 0, frame);
    }
  }
  return { sa, da, payload, frames, untouched, came: 0 };
}

/** Sessions that ended, in whatever way. */
function ended({ counters: c }: Transport): number {
  return c.completed + c.aborted + c.timeout + c.replaced + c.sequence + c.malformed + c.incomplete + c.evicted;
}

/** Runs until `until` says so; throws what must not be, with the round that did it. */
export function fuzzTransport(seed: number, until: () => boolean): TransportFuzzResult {
  const random = new Random(seed);
  let rounds = 0;
  let frames = 0;
  let conversations = 0;
  let untouched = 0;
  let messages = 0;
  let half = { at: 0, heap: 0 };
  const heap = () => {
    globalThis.gc?.();
    return process.memoryUsage().heapUsed;
  };
  const decoder = createDecoder();
  const inventory = new BusInventory();
  const book = new AddressBook();
  const sink = {
    signal: () => undefined,
    faults: () => undefined,
    previous: () => undefined,
    identity: () => undefined,
    claim: (one: Parameters<AddressBook['claim']>[0]) => book.claim(one),
  };
  const batch = new FrameBatch(4096);
  while (!until()) {
    let transport = createTransport();
    let opened = 0;
    let t_us = T0 + rounds * 1e7;
    // One conversation at a time for each pair.
    const lanes = new Map<string, Conversation[]>();
    for (let n = 1 + random.int(14); n > 0; n--) {
      const sa = random.int(5);
      const da = random.int(2) === 0 ? GLOBAL_ADDRESS : 8 + random.int(3);
      const lane = `${sa} ${da}`;
      lanes.set(lane, [...(lanes.get(lane) ?? []), converse(random, sa, da, !lanes.has(lane))]);
    }
    const all = [...lanes.values()].flat();
    const current = new Map<string, Conversation>();
    const storm = random.int(12) === 0;
    const jumps = random.int(12) === 0;
    batch.clear();
    const hear = ({ control, from, to, data }: Heard) => {
      const pgn = control ? PGN.transportControl : PGN.transportData;
      batch.push(t_us, 1, identifier(7, pgn, from, to), FRAME.extended, data, 0, data.length);
      frames++;
      if (control) {
        const { invalid } = transport.counters;
        transport.control(t_us, 1, from, to, data, 0, data.length);
        if ((data[0] === 0x10 || data[0] === 0x20) && transport.counters.invalid === invalid) opened++;
        return;
      }
      const message = transport.packet(t_us, 1, from, to, data, 0, data.length, batch.count - 1);
      if (message === undefined) return;
      messages++;
      const meant = current.get(`${message.sa} ${message.da}`);
      if (meant === undefined || Buffer.compare(message.data, meant.payload) !== 0)
        throw new Error(`seed ${seed}, round ${rounds}: a message came out that nobody sent`);
      if (++meant.came > 1 && meant.untouched) throw new Error(`seed ${seed}, round ${rounds}: a message came twice`);
    };
    const account = () => {
      const live = transport.snapshot().sessions.length;
      if (live > MAX_SESSIONS) throw new Error(`seed ${seed}, round ${rounds}: ${live} sessions`);
      if (opened !== ended(transport) + live)
        throw new Error(`seed ${seed}, round ${rounds}: ${opened} opened, ${ended(transport)} ended, ${live} live`);
    };
    while (lanes.size > 0) {
      t_us += random.int(STEP_US);
      const keys = [...lanes.keys()];
      const key = keys[random.int(keys.length)] as string;
      const lane = lanes.get(key) as Conversation[];
      const [now] = lane;
      const frame = now?.frames.shift();
      if (now !== undefined && frame !== undefined) {
        current.set(key, now);
        hear(frame);
      } else lane.shift();
      if (lane.length === 0) lanes.delete(key);
      if (storm && random.int(4) === 0) {
        // Announcements without end, and things that are none.
        const [from, to] = [20 + random.int(230), random.int(2) === 0 ? GLOBAL_ADDRESS : 20 + random.int(200)];
        const data = Uint8Array.from({ length: 8 }, () => random.int(256));
        if (random.int(3) > 0) data.set([to === GLOBAL_ADDRESS ? 0x20 : 0x10, 0xf9, 6, 255, 0xff]);
        hear({ control: true, from, to, data });
      }
      if (jumps && random.int(200) === 0) {
        t_us += random.int(4e6) - 2e6;
        for (const one of all) one.untouched = false;
      }
      if (random.int(400) === 0) transport = createTransport(JSON.parse(JSON.stringify(transport.snapshot())));
      if (random.int(100) === 0) account();
    }
    account();
    // Storms take room from others, and a pair that the step of time draws apart falls silent.
    const fair = transport.counters.evicted === 0 && transport.counters.timeout === 0;
    for (const one of all) {
      conversations++;
      if (!one.untouched || !fair) continue;
      untouched++;
      if (one.came !== 1) throw new Error(`seed ${seed}, round ${rounds}: a message of ${one.payload.length} was lost`);
    }
    // The same frames, and nonsense, through all that hears them.
    for (let n = random.int(200); n > 0; n--) {
      const pgn = [PGN.addressClaim, PGN.dm1, PGN.transportData, 0xc700, random.int(0x40000)][random.int(5)] as number;
      const data = Uint8Array.from({ length: random.int(9) }, () => random.int(256));
      batch.push(
        t_us,
        random.int(40),
        identifier(6, pgn, random.int(256), random.int(256)),
        FRAME.extended,
        data,
        0,
        data.length,
      );
    }
    decoder.decode(batch, sink, inventory, t_us + 1e6);
    rounds++;
    if (rounds > half.at * 2) half = { at: rounds, heap: heap() };
  }
  const growth_mb = Math.round((heap() - half.heap) / 1e4) / 100;
  return { rounds, frames, conversations, untouched, messages, growth_mb };
}

if (import.meta.main) {
  const [minutes = '10', seed = String(Date.now() % 1e9)] = process.argv.slice(2);
  process.stdout.write(`seed ${seed}\n`);
  const end = performance.now() + Number(minutes) * 60_000;
  const result = fuzzTransport(Number(seed), () => performance.now() > end);
  process.stdout.write(`${JSON.stringify(result)}\n`);
  const grows = result.growth_mb > 50;
  process.stdout.write(`${grows ? '0 passed, 1 failed' : '1 passed, 0 failed'}\n`);
  process.exit(grows ? 1 : 0);
}
