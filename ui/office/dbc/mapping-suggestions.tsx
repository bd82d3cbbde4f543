/** Mappings that the gateway suggests from the SPN of a signal. */
import { useState } from 'preact/hooks';
import { type SignalName, signalRow } from '#contract/base/signals.ts';
import type { MappedSignal } from '#contract/fleet/dbc.ts';
import { said, t, translated } from '#ui/languages/texts.ts';
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
        <h3>{t('Suggested from this file')}</h3>
        {offered.length > 1 && (
          <button type="button" onClick={() => onAdd(offered)}>
            {t('Add all {n}', { n: offered.length })}
          </button>
        )}
      </div>
      <ul>
        {(all ? offered : offered.slice(0, OFFERED)).map((one) => (
          <li key={signalKey(one)}>
            <span>
              {said('{signal} is {label}', {
                signal: <b>{one.signal}</b>,
                label: translated(signalRow(one.to as SignalName).label),
              })}
              <small class="said-line">{one.message}</small>
            </span>
            <button type="button" onClick={() => onAdd([one])} aria-label={t('Add {name}', { name: signalKey(one) })}>
              {t('Add')}
            </button>
          </li>
        ))}
      </ul>
      {!all && offered.length > OFFERED && (
        <div class="actions">
          <button type="button" onClick={() => setAll(true)}>
            {t('Show all {n}', { n: offered.length })}
          </button>
        </div>
      )}
    </div>
  );
}
