/** Reads the units that a DBC file states for its signals. */
import { useEffect, useState } from 'preact/hooks';
import type { MappedSignal } from '#contract/fleet/dbc.ts';
import type { Output } from '#contract/operations.ts';
import type { Session } from '#ui/office/base/session.ts';
import { type DbcFile, signalKey } from './dbc-text.ts';

export type FoundSignal = Output<'dbc_signals'>['data'][number];
/** The unit of each signal. The key is the result of `signalKey`. */
export type Units = ReadonlyMap<string, string>;

const RETRY_MS = 3_000;

/**
 * Returns the units of the mapped signals. The page may have read a list of signals for another purpose; `take` adds the units in this
 * list. The hook requests each missing unit from the gateway, and repeats a request that fails.
 */
export function useUnits(session: Session, file: DbcFile, mapping: readonly MappedSignal[]) {
  const [units, setUnits] = useState<Units>(new Map());
  const [round, setRound] = useState(0);
  const take = (rows: readonly FoundSignal[]) =>
    setUnits((before) => new Map([...before, ...rows.map((row) => [signalKey(row), row.unit] as const)]));
  const missing = mapping.find((one) => !units.has(signalKey(one)));
  const key = missing === undefined ? '' : signalKey(missing);
  useEffect(() => {
    if (key === '') return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    session.client.call('dbc_signals', { id: file.id, q: key.slice(0, 100) }).then(
      // A signal that the file does not have gets an empty unit, so that it is not requested again.
      ({ data }) =>
        setUnits(
          (before) => new Map([[key, ''], ...before, ...data.map((row) => [signalKey(row), row.unit] as const)]),
        ),
      () => {
        timer = setTimeout(() => setRound((n) => n + 1), RETRY_MS);
      },
    );
    return () => clearTimeout(timer);
  }, [key, round]);
  return { units, take };
}
