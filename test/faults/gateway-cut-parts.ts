/** What the traced gateway and its judge share: the parts, one device, and messages with numbers. */
import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { IngestMessage } from '#contract/fleet/ingest.ts';
import { startIngest } from '#ingest/ingest.ts';
import type { Ingest } from '#ingest/ingest-types.ts';
import { openStore, type Store } from '#store/open-store.ts';
import { hours } from '#test/ingest/frames.ts';

export const PROJECT = 'prj_crash';
export const MACHINE = 'eq_crash';
export const DEVICE = { device: 'dev_crash', device_id: 'crash', project_id: PROJECT };
/** Machine time of message 0, and hours that a number stands for. */
export const EPOCH_S = 1_700_000_000;
export const HOUR = 0.05;

/** A message with a number: one HOURS frame, a second of machine time after the one before. */
export function message(n: number): Pick<IngestMessage, 'topic' | 'payload' | 'received_at_ms'> {
  const payload = Buffer.from(hours((EPOCH_S + n) * 1000, n * HOUR));
  return { topic: 'can', payload, received_at_ms: Date.now() };
}

/** Links the device to its machine, from before every message. */
export async function linkDevice(store: Store): Promise<void> {
  const { device_id } = DEVICE;
  const data = {
    ...{ device_id, name: device_id, serial: null, kind: 'can_logger', equipment_id: MACHINE },
    ...{ linked_at: new Date(EPOCH_S * 1000).toISOString(), location_id: null, expected_interval_s: null },
    ...{ labels: {}, settings: {} },
  };
  await store.view(PROJECT).commit([{ collection: 'records', id: DEVICE.device, object: 'device', data }]);
}

/** Store and ingest of a folder, as a gateway opens them; failures of the disk end the process, or only reject calls when `quiet`. */
export async function openGateway(
  folder: string,
  quiet = false,
): Promise<{ store: Store; ingest: Ingest } & AsyncDisposable> {
  await using parts = new AsyncDisposableStack();
  const random = (n: number): Uint8Array => randomBytes(n);
  const onFatal = (error: Error): void => {
    if (!quiet) throw error;
  };
  const common = { folder, clock: Date.now, random, log: () => {}, onFatal };
  const store = parts.use(await openStore(common));
  const ingest = parts.use(await startIngest({ ...common, store, tickMs: 5, commitMs: 100, segmentBytes: 2000 }));
  const held = parts.move();
  return { store, ingest, [Symbol.asyncDispose]: () => held.disposeAsync() };
}

/** Waits until everything accepted is folded. */
export async function drained(ingest: Ingest): Promise<void> {
  for (let i = 0; ; i++) {
    const { journal } = await ingest.health();
    if (journal.unfolded_messages === 0 && i > 1) return;
    if (i === 5000) throw new Error('the fold does not come to an end');
    await wait(5);
  }
}
