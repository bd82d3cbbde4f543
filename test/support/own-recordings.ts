/**
 * Recordings of our own simulator, made when a test asks for them: one machine on two buses for four minutes, and what is true of it.
 * Every form of a log holds the same frames. They stand in for the real recordings, which are no part of the project.
 */
import { createCipheriv, pbkdf2Sync } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { AscWriter } from '#codec/asc-writer.ts';
import { formatCandump } from '#codec/candump.ts';
import { wrapperHead } from '#codec/canedge-wrapper.ts';
import { packHeatshrink } from '#codec/heatshrink.ts';
import { FRAME, FrameBatch } from '#contract/fleet/frame.ts';
import { encodeDm1, encodeGroup, framesOf, identifier } from '#domain/j1939/encode.ts';
import { ROSTER, type RosterRow } from '#simulator/machines.ts';
import { createSite, type Truth, type TruthChange } from '#simulator/site.ts';
import { writeMdf4 } from '#test/codec/mdf4-files.ts';

/** Where the log begins: a time that a header in whole days can say exactly, long before the tests run. */
export const OWN_START_MS = Date.UTC(2026, 4, 1, 6);
export const OWN_SECONDS = 240;
export const OWN_VIN = 'HF2SIMTRUCK000042';
export const OWN_SERIAL = 'A0B1C2D3';
export const OWN_PASSWORD = 'own-password';
/** A control unit whose pedal is broken: it sends "error" and never a number. */
export const BROKEN_PEDAL = 3;
/** Seconds after the start at which one of the three codes is cleared. */
const CLEARED_S = 120;

const MACHINE: RosterRow = {
  ...(ROSTER[2] as RosterRow),
  unit: 'SIM-1',
  // More than one code takes more than eight bytes: DM1 comes by the transport protocol.
  codes: [
    { spn: 3719, fmi: 16, count: 3 },
    { spn: 110, fmi: 0, count: 1 },
    { spn: 107, fmi: 15, count: 12, active: { every_s: 900, from_s: 0, to_s: CLEARED_S } },
  ],
  mtbf_h: 1e9,
};

export interface OwnRecording {
  readonly batch: FrameBatch;
  /** Those of the machine's own bus, which are J1939; the other bus carries short identifiers. */
  readonly j1939: number;
  /** The log as candump text. */
  readonly text: Buffer;
  /** What is true when the log ends, whatever the bus said. */
  readonly truth: Truth;
  readonly changes: readonly TruthChange[];
}

interface Said {
  readonly t: number;
  readonly bus: number;
  readonly id: number;
  readonly flags: number;
  readonly data: Uint8Array;
}

/** What the machine's units say beside the simulator: a VIN, codes of before, a pedal in error, and another bus. */
function beside(): Said[] {
  const said: Said[] = [];
  const at = (s: number, bus: number, id: number, data: Uint8Array, flags: number = FRAME.extended) =>
    said.push({ t: OWN_START_MS * 1000 + Math.round(s * 1e6), bus, id, flags, data });
  const message = (s: number, pgn: number, payload: Uint8Array) => {
    framesOf(6, pgn, 0, payload).forEach(({ id, data }, i) => {
      at(s + 0.0503 * (i + 1), 1, id, data);
    });
  };
  for (let s = 10; s < OWN_SECONDS; s += 60) message(s, 65260, new TextEncoder().encode(`${OWN_VIN}*`));
  for (let s = 40; s < OWN_SECONDS; s += 60) message(s, 65227, encodeDm1({}, [{ spn: 190, fmi: 8, count: 2 }]));
  const pedal = encodeGroup(61443, {});
  pedal[1] = 0xfe;
  for (let s = 1; s < OWN_SECONDS; s++) at(s + 0.0207, 1, identifier(3, 61443, BROKEN_PEDAL), pedal);
  for (let i = 1; i < OWN_SECONDS * 5; i++) {
    const remote = i % 50 === 0;
    // A remote frame has a length and no data.
    const data = remote ? new Uint8Array(3) : Uint8Array.of(i & 255, i >> 8, 0xa5);
    at(i * 0.2 + 0.0101, 2, 0x123 + (i % 3), data, remote ? FRAME.remote : 0);
  }
  return said;
}

let made: OwnRecording | undefined;

/** The recording; the same every time. */
export function ownRecording(): OwnRecording {
  made ??= record();
  return made;
}

function record(): OwnRecording {
  const changes: TruthChange[] = [];
  const site = createSite({
    seed: 42,
    start_ms: OWN_START_MS,
    roster: [MACHINE],
    onChange: (change) => changes.push(change),
  });
  const lived = new FrameBatch();
  site.advance(OWN_START_MS + OWN_SECONDS * 1000, [lived]);
  const said = beside();
  for (let i = 0; i < lived.count; i++) {
    const [t = 0, id = 0, flags = 0] = [lived.t[i], lived.id[i], lived.flags[i]];
    said.push({ t: Math.round(t), bus: 1, id, flags, data: lived.payload(i).slice() });
  }
  said.sort((a, b) => a.t - b.t || a.bus - b.bus);
  const batch = new FrameBatch();
  let last = 0;
  for (const { t, bus, id, flags, data } of said) {
    // No two at one time, so that their order is the same in every form.
    last = Math.max(t, last + 1);
    batch.push(last, bus, id, flags, data, 0, data.length);
  }
  const j1939 = said.filter(({ bus }) => bus === 1).length;
  return { batch, j1939, text: Buffer.from(formatCandump(batch)), truth: site.truth(0), changes };
}

/** One form of the log: its bytes, and what a reader says of its wrapping. */
export interface OwnForm {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly wrapping: readonly string[];
}

const ABOUT = { started_us: OWN_START_MS * 1000, serial_number: OWN_SERIAL, session: 7, split: 1 };

/** PEAK TRC 2.1: milliseconds since a start in days. */
function trcOf(batch: FrameBatch): Buffer {
  const lines = [
    ';$FILEVERSION=2.1',
    `;$STARTTIME=${(OWN_START_MS / 86_400_000 + 25_569).toFixed(10)}`,
    ';$COLUMNS=N,O,T,B,I,d,R,L,D',
  ];
  for (let i = 0; i < batch.count; i++) {
    const [t = 0, bus = 0, id = 0, flags = 0] = [batch.t[i], batch.bus[i], batch.id[i], batch.flags[i]];
    const data = batch.payload(i);
    const name = id.toString(16).padStart((flags & FRAME.extended) === 0 ? 4 : 8, '0');
    const bytes = (flags & FRAME.remote) === 0 ? Buffer.from(data).toString('hex').replace(/../g, '$& ') : '';
    const type = (flags & FRAME.remote) === 0 ? 'DT' : 'RR';
    const ms = ((t - OWN_START_MS * 1000) / 1000).toFixed(3);
    lines.push(`${i + 1} ${ms} ${type} ${bus} ${name} Rx - ${data.length} ${bytes}`);
  }
  return Buffer.from(`${lines.join('\r\n')}\r\n`);
}

/** The bytes as a logger packs them. */
export function packLog(bytes: Uint8Array, windowBits = 10): Uint8Array {
  const form = { windowBits, lengthBits: 4 };
  return Buffer.concat([wrapperHead({ kind: 'heatshrink', form }, 0xa0b1c2d3), packHeatshrink(bytes, form)]);
}

/** The bytes as a logger encrypts them. */
export function lockLog(bytes: Uint8Array, password = OWN_PASSWORD, rounds = 1_000): Uint8Array {
  const iv = new Uint8Array(12).fill(7);
  const salt = new Uint8Array(16).fill(9);
  const head = wrapperHead({ kind: 'aes_gcm', iv, rounds, salt }, 0xa0b1c2d3);
  const cipher = createCipheriv('aes-256-gcm', pbkdf2Sync(password, salt, rounds, 32, 'sha256'), iv);
  cipher.setAAD(head);
  return Buffer.concat([head, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
}

/** An MF4 as a logger leaves it that lost its power: records as they came, and nothing completed. */
export function unfinishedMf4(): Uint8Array {
  return writeMdf4(ownRecording().batch, { ...ABOUT, layout: 'single', order: 'unsorted', unfinished: true });
}

/** Every form of the log. */
export function ownForms(): OwnForm[] {
  const { batch, text } = ownRecording();
  const asc = new AscWriter();
  const mf4 = writeMdf4(batch, ABOUT);
  const raw = unfinishedMf4();
  return [
    { name: 'sim.log', bytes: text, wrapping: [] },
    { name: 'sim.log.gz', bytes: gzipSync(text), wrapping: ['gzip'] },
    { name: 'sim.asc', bytes: Buffer.concat([asc.write(batch), asc.end()]), wrapping: [] },
    { name: 'sim.trc', bytes: trcOf(batch), wrapping: [] },
    { name: 'sim.mf4', bytes: mf4, wrapping: [] },
    { name: 'sim-deflate.mf4', bytes: writeMdf4(batch, { ...ABOUT, zip: 'deflate' }), wrapping: [] },
    {
      name: 'sim-transposed.mf4',
      bytes: writeMdf4(batch, { ...ABOUT, layout: 'grouped', zip: 'transposed' }),
      wrapping: [],
    },
    {
      name: 'sim-unsorted.mf4',
      bytes: writeMdf4(batch, { ...ABOUT, layout: 'single', order: 'unsorted' }),
      wrapping: [],
    },
    { name: 'sim-unfinished.MF4', bytes: raw, wrapping: [] },
    { name: 'sim.MFC', bytes: packLog(raw), wrapping: ['heatshrink'] },
    { name: 'sim.MFE', bytes: lockLog(raw), wrapping: ['aes_gcm'] },
    { name: 'sim.MFM', bytes: lockLog(packLog(raw)), wrapping: ['aes_gcm', 'heatshrink'] },
  ];
}
