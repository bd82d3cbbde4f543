/** Encodes the rows of several signals as one column of a segment or rollup. Use it if each signal has only a few rows. */
import { isSignal, type SignalName } from '#contract/base/signals.ts';
import type { Column, OpenColumns } from './columns.ts';

/** The rows of one signal: for each field an array, all of the same length. */
export type SignalRows<F extends string> = Readonly<Record<F, number[]>> & { readonly signal: SignalName };

/**
 * Returns the column with these rows. Its array `signal` has for each row the index of the signal in the list; the caller stores the names
 * of the signals in the head of the segment or rollup.
 */
export function encodeShared<F extends string>(
  name: string,
  fields: readonly F[],
  all: readonly SignalRows<F>[],
): Column {
  const [first] = fields as readonly [F, ...F[]];
  const arrays: Record<string, Float64Array> = {
    signal: Float64Array.from(all.flatMap((one, i) => one[first].map(() => i))),
  };
  for (const field of fields) arrays[field] = Float64Array.from(all.flatMap((one) => one[field]));
  return { name, arrays };
}

/**
 * Decodes the column. `names` are the names of the signals; signals that this version does not know are left out. Throws `RangeError` if the
 * column is missing or damaged.
 */
export function decodeShared<F extends string>(
  opened: OpenColumns,
  name: string,
  fields: readonly F[],
  names: readonly string[],
): SignalRows<F>[] {
  const arrays = opened.column(name)?.arrays;
  const signals = arrays?.signal;
  if (arrays === undefined || signals === undefined) throw new RangeError(`the column ${name} is damaged`);
  return names.flatMap((signal, index) => {
    if (!isSignal(signal)) return [];
    const own = [...signals.keys()].filter((i) => signals[i] === index);
    const read = fields.map((field) => {
      const numbers = arrays[field];
      if (numbers?.length !== signals.length) throw new RangeError(`the column ${name} is damaged`);
      return [field, own.map((i) => numbers[i] as number)] as const;
    });
    return [{ signal, ...(Object.fromEntries(read) as Record<F, number[]>) }];
  });
}
