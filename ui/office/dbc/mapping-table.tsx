/** The mapped signals of a DBC file, one row each. */
import { type SignalName, signalRow } from '#contract/base/signals.ts';
import type { MappedSignal } from '#contract/fleet/dbc.ts';
import { t, translated } from '#ui/languages/texts.ts';
import { conversionWords, signalKey } from './dbc-text.ts';
import { SignalSelect, UnitSelect } from './mapping-selects.tsx';
import type { Units } from './use-units.ts';

function MappingRow(props: {
  entry: MappedSignal;
  written: string | undefined;
  fault: string | undefined;
  frozen: boolean;
  onEntry(entry: MappedSignal | null): void;
}) {
  const { entry, written, fault, frozen, onEntry } = props;
  const words = conversionWords(entry.unit ?? written ?? '', entry.to);
  const name = signalKey(entry);
  const isKnown = entry.unit !== null || written !== undefined;
  return (
    <tr>
      <th scope="row">
        {entry.signal}
        <small>{entry.message}</small>
      </th>
      <td class="control" data-label={t('Maps to')}>
        {frozen ? (
          translated(signalRow(entry.to as SignalName).label)
        ) : (
          <SignalSelect
            label={t('{name} maps to', { name })}
            unit={entry.unit ?? written ?? ''}
            value={entry.to}
            onValue={(to) => onEntry({ ...entry, to, unit: null })}
          />
        )}
      </td>
      <td class="control" data-label={t('Unit of measure')}>
        {frozen ? (
          (entry.unit ?? written ?? '')
        ) : (
          <UnitSelect entry={entry} written={written} onValue={(unit) => onEntry({ ...entry, unit })} />
        )}
      </td>
      <td class="wrap" data-label={t('Converted')}>
        {isKnown ? (words ?? <b class="warn">{t('Select the unit')}</b>) : '…'}
        {fault !== undefined && <small class="warn">{fault}</small>}
      </td>
      <td data-label={t('If J1939 also sends it')}>
        {frozen ? (
          entry.preferred ? (
            t('this signal is used')
          ) : (
            t('J1939 is used')
          )
        ) : (
          <label class="check">
            <input
              type="checkbox"
              checked={entry.preferred}
              onChange={(event) => onEntry({ ...entry, preferred: event.currentTarget.checked })}
            />
            {t('use this signal')}
            <span class="hidden">, {name}</span>
          </label>
        )}
      </td>
      {!frozen && (
        <td>
          <button type="button" class="quiet" onClick={() => onEntry(null)} aria-label={t('Remove {name}', { name })}>
            {t('Remove')}
          </button>
        </td>
      )}
    </tr>
  );
}

export function MappingTable(props: {
  mapping: readonly MappedSignal[];
  units: Units;
  /** Errors that the gateway reported for the mapping. The key is the index of the row. */
  faults: ReadonlyMap<number, string>;
  /** True if nobody can edit the mapping. */
  frozen: boolean;
  onMapping(mapping: readonly MappedSignal[]): void;
}) {
  const { mapping, units, faults, frozen } = props;
  return (
    <div class="table stacks inner early">
      <table>
        <thead>
          <tr>
            <th scope="col">{t('Signal')}</th>
            <th scope="col">{t('Maps to')}</th>
            <th scope="col">{t('Unit of measure')}</th>
            <th scope="col">{t('Converted')}</th>
            <th scope="col">{t('If J1939 also sends it')}</th>
            {!frozen && (
              <th scope="col">
                <span class="hidden">{t('Remove')}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {mapping.map((entry, i) => (
            <MappingRow
              key={signalKey(entry)}
              entry={entry}
              written={units.get(signalKey(entry))}
              fault={faults.get(i)}
              frozen={frozen}
              onEntry={(next) =>
                props.onMapping(mapping.flatMap((one, k) => (k !== i ? [one] : next === null ? [] : [next])))
              }
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}
