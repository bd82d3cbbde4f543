/** Mappings that the gateway suggests from the SPN of a signal. */
import { useState } from 'preact/hooks';
import { type SignalName, signalRow } from '#contract/base/signals.ts';
import type { MappedSignal } from '#contract/fleet/dbc.ts';
import { signalKey } from './dbc-text.ts';

export type Suggestion = Pick<MappedSignal, 'message' | 'signal' | 'to'>;

/** Number of suggestions that are shown until a person asks for all of them. */
const OFFERED = 6;

export function MappingSuggestions(props: {
  offered: readonly Suggestion[];
  onAdd(entries: readonly Suggestion[]): void;
}) {
  const { offered, onAdd } = props;
  const [all, setAll] = useState(false);
  if (offered.length === 0) return null;
  return (
    <div class="offered">
      <div class="row">
        <h3>Suggested from this file</h3>
        {offered.length > 1 && (
          <button type="button" onClick={() => onAdd(offered)}>
            Add all {offered.length}
          </button>
        )}
      </div>
      <ul>
        {(all ? offered : offered.slice(0, OFFERED)).map((one) => (
          <li key={signalKey(one)}>
            <span>
              <b>{one.signal}</b> is {signalRow(one.to as SignalName).label}
              <small class="said-line">{one.message}</small>
            </span>
            <button type="button" onClick={() => onAdd([one])} aria-label={`Add ${signalKey(one)}`}>
              Add
            </button>
          </li>
        ))}
      </ul>
      {!all && offered.length > OFFERED && (
        <div class="actions">
          <button type="button" onClick={() => setAll(true)}>
            Show all {offered.length}
          </button>
        </div>
      )}
    </div>
  );
}
