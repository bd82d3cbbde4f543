/**
 * Decodes a recorded log with a DBC file, and reports which messages and signals of the file occur in the log. With this report a person
 * can decide whether the file fits the machine.
 */

import type { FrameBatch } from '#contract/fleet/frame.ts';
import type { DecodedValue } from '#domain/base/decoded-value.ts';
import { compileDbc } from './compile.ts';
import { idText } from './mapping.ts';
import type { Dbc } from './model.ts';

/** The trial counts at most this many different identifiers that the file does not define. */
const MAX_IDS = 5_000;
const IDS_SHOWN = 50;

export interface DbcTrialOptions {
  /** The trial ends after this many frames. It reads a batch that it has begun to its end. */
  readonly frames: number;
  /** Largest number of signals, and of messages, in the answer. */
  readonly rows: number;
  /**
   * Returns the signal of the gateway to which a signal of the file is mapped, and a check of its values; undefined if the signal is not
   * mapped.
   */
  readonly convert: (
    message: string,
    signal: string,
    unit: string,
  ) => { readonly to: string; readonly isPlausible: (value: number) => boolean } | undefined;
}

/** Decodes the log up to `options.frames` frames. */
export async function tryDbc(dbc: Dbc, batches: AsyncIterable<FrameBatch>, options: DbcTrialOptions) {
  const plan = compileDbc(dbc);
  const decoder = plan.decoder();
  const count = plan.signals.length;
  const values = new Uint32Array(count);
  const states = new Uint32Array(count);
  const outside = new Uint32Array(count);
  const implausible = new Uint32Array(count);
  const min = new Float64Array(count).fill(Number.POSITIVE_INFINITY);
  const max = new Float64Array(count).fill(Number.NEGATIVE_INFINITY);
  const last = new Float64Array(count);
  const least = Float64Array.from(plan.signals, ({ signal }) => signal.range?.min ?? Number.NEGATIVE_INFINITY);
  const most = Float64Array.from(plan.signals, ({ signal }) => signal.range?.max ?? Number.POSITIVE_INFINITY);
  const ours = plan.signals.map(({ message, signal }) => options.convert(message.name, signal.name, signal.unit));
  const heard = new Uint32Array(plan.messages.length);
  const unknown = new Map<string, number>();
  const sink = {
    value(signal: number, state: number, { value }: DecodedValue): void {
      if (state !== 0) {
        (states[signal] as number)++;
        return;
      }
      (values[signal] as number)++;
      if (value < (min[signal] as number)) min[signal] = value;
      if (value > (max[signal] as number)) max[signal] = value;
      last[signal] = value;
      if (value < (least[signal] as number) || value > (most[signal] as number)) (outside[signal] as number)++;
      if (ours[signal]?.isPlausible(value) === false) (implausible[signal] as number)++;
    },
    message(message: number): void {
      (heard[message] as number)++;
    },
    unmatched(id: number, isExtended: boolean): void {
      const text = idText(id, isExtended);
      const before = unknown.get(text);
      if (before !== undefined || unknown.size < MAX_IDS) unknown.set(text, (before ?? 0) + 1);
    },
  };
  let truncated = false;
  for await (const batch of batches) {
    decoder.decode(batch, sink);
    truncated = decoder.counters.frames >= options.frames;
    if (truncated) break;
  }
  const place = new Map(plan.messages.map((message, m) => [message, m]));
  const signals = plan.signals.flatMap(({ message, signal }, k) => {
    if ((heard[place.get(message) ?? 0] as number) === 0) return [];
    const has = (values[k] as number) > 0;
    return [
      {
        message: message.name,
        signal: signal.name,
        unit: signal.unit,
        to: ours[k]?.to ?? null,
        values: values[k] as number,
        states: states[k] as number,
        out_of_range: outside[k] as number,
        implausible: implausible[k] as number,
        min: has ? (min[k] as number) : null,
        max: has ? (max[k] as number) : null,
        last: has ? (last[k] as number) : null,
      },
    ];
  });
  // Mapped signals come first, because the person wants to check these.
  signals.sort((a, b) => Number(b.to !== null) - Number(a.to !== null));
  const { frames, matched, unmatched, short } = decoder.counters;
  return {
    frames,
    truncated,
    matched,
    unmatched,
    short,
    messages: plan.messages
      .map(({ name }, m) => ({ message: name, count: heard[m] as number }))
      .filter((one) => one.count > 0)
      .slice(0, options.rows),
    signals: signals.slice(0, options.rows),
    unmatched_ids: [...unknown]
      .sort(([, a], [, b]) => b - a)
      .slice(0, IDS_SHOWN)
      .map(([id, n]) => ({ id, count: n })),
  };
}
