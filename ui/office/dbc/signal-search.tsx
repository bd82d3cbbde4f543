/** A search over the signals of a DBC file. */
import { useEffect, useId, useState } from 'preact/hooks';
import type { SignalName } from '#contract/base/signals.ts';
import { parameterName } from '#contract/fleet/fault-words.ts';
import { t } from '#ui/languages/texts.ts';
import { AsIs, Problem } from '#ui/office/base/parts.tsx';
import type { Session } from '#ui/office/base/session.ts';
import { usePolled } from '#ui/office/base/use.ts';
import { type DbcFile, number, signalKey } from './dbc-text.ts';
import { SignalSelect } from './mapping-selects.tsx';
import type { FoundSignal } from './use-units.ts';

/** The largest number of signals that are shown as the result of a search. */
const SHOWN = 25;
/** Number of signals that are shown before a person searches. */
const UNASKED = 8;

/** Finds signals of a DBC file by name, so that a person can map them. Before a search, it lists the first signals of the file. */
export function SignalSearch(props: {
  session: Session;
  file: DbcFile;
  mapped: ReadonlySet<string>;
  onUnits(rows: readonly FoundSignal[]): void;
  onAdd(row: FoundSignal, to: SignalName): void;
}) {
  const { session, file } = props;
  const id = useId();
  const [typed, setTyped] = useState('');
  const [q, setQ] = useState('');
  const [all, setAll] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setQ(typed.trim()), 250);
    return () => clearTimeout(timer);
  }, [typed]);
  const { data, problem } = usePolled(
    async () => {
      const found = await session.client.call('dbc_signals', { id: file.id, ...(q !== '' && { q }) });
      props.onUnits(found.data);
      return found;
    },
    600_000,
    [file.id, q],
  );
  const rows = data?.data ?? [];
  const shown = all ? rows : rows.slice(0, q === '' ? UNASKED : SHOWN);
  return (
    <>
      <div class="field">
        <label for={id}>{t('Find a signal by its name or the name of its message')}</label>
        <input
          id={id}
          type="search"
          maxLength={100}
          value={typed}
          onInput={(event) => {
            setTyped(event.currentTarget.value);
            setAll(false);
          }}
        />
      </div>
      <Problem text={problem} />
      {data === null && problem === null && <p class="waiting">{t('Loading')}</p>}
      {data !== null && rows.length === 0 && (
        <p class="aside">{t('No signal or message of this file has this text in its name.')}</p>
      )}
      {rows.length > 0 && (
        <div class="table stacks inner">
          <table>
            <thead>
              <tr>
                <th scope="col">{t('Signal')}</th>
                <th scope="col">{t('Frame')}</th>
                <th scope="col">{t('Unit of measure')}</th>
                <th scope="col">{t('Maps to')}</th>
              </tr>
            </thead>
            <tbody>
              {shown.map((row) => (
                <tr key={signalKey(row)}>
                  <th scope="row">
                    {row.signal}
                    <small>
                      {row.message}
                      {row.comment !== '' && `: ${row.comment.slice(0, 120)}`}
                    </small>
                  </th>
                  <td data-label={t('Frame')}>
                    <span class="mono">{row.id}</span>
                    {row.pgn !== null && <small class="said-line">PGN {row.pgn}</small>}
                    {row.spn !== null && (
                      <small class="said-line">
                        SPN {row.spn}
                        {parameterName(row.spn) !== null && (
                          <>
                            : <AsIs>{parameterName(row.spn)}</AsIs>
                          </>
                        )}
                      </small>
                    )}
                  </td>
                  <td data-label={t('Unit of measure')}>{row.unit === '' ? t('no unit') : row.unit}</td>
                  <td class="control" data-label={t('Maps to')}>
                    {props.mapped.has(signalKey(row)) ? (
                      t('mapped above')
                    ) : (
                      <SignalSelect
                        label={t('Map {name} to', { name: signalKey(row) })}
                        unit={row.unit}
                        value=""
                        onValue={(to) => props.onAdd(row, to)}
                      />
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {data !== null && data.total > shown.length && (
        <div class="row">
          <span class="aside">
            {t('{shown} of {signals}.', {
              shown: shown.length,
              signals: t('{n} signal|{n} signals', { n: number(data.total) }),
            })}
            {data.total > rows.length && ` ${t('Search to see the others.')}`}
          </span>
          {rows.length > shown.length && (
            <button type="button" onClick={() => setAll(true)}>
              {rows.length === data.total ? t('Show all {n}', { n: rows.length }) : t('Show {n}', { n: rows.length })}
            </button>
          )}
        </div>
      )}
    </>
  );
}
