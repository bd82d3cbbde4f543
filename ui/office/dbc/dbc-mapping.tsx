/** Which signals of a DBC file are ours: what the file itself suggests, what a person finds, and how the numbers are converted. */

import { useEffect, useId, useState } from 'preact/hooks';
import { SIGNAL_NAMES, type SignalName, signalRow } from '#contract/base/signals.ts';
import { conversionOf, unitsOf } from '#contract/base/units.ts';
import { ClientError } from '#contract/client.ts';
import { DBC_BOUNDS, type MappedSignal } from '#contract/fleet/dbc.ts';
import { parameterName } from '#contract/fleet/fault-words.ts';
import type { Output } from '#contract/operations.ts';
import { useKept } from '#ui/office/base/kept.ts';
import { Empty, Problem } from '#ui/office/base/parts.tsx';
import { onceKey, type Session } from '#ui/office/base/session.ts';
import { usePolled, useSend } from '#ui/office/base/use.ts';
import { conversionWords, count, type DbcFile } from './dbc-words.ts';

type Found = Output<'dbc_signals'>['data'][number];
/** A mapping that is being made, over the revision that its maker was shown. */
interface Draft {
  readonly mapping: readonly MappedSignal[];
  readonly revision: number;
}
/** The units that the file writes, by message and signal. */
type Units = ReadonlyMap<string, string>;

const SHOWN = 25;
/** Suggestions before somebody asks for all. */
const OFFERED = 6;
/** Signals before somebody searches. */
const UNASKED = 8;
const RETRY_MS = 3_000;
const keyOf = ({ message, signal }: Pick<MappedSignal, 'message' | 'signal'>) => `${message}.${signal}`;

/** Ours, those first that the unit of the file fits. */
function Ours(props: { label: string; unit: string; value: string; onValue(to: SignalName): void }) {
  const id = useId();
  const fits = (name: SignalName) => conversionOf(props.unit, name) !== undefined;
  const group = (label: string, names: readonly SignalName[]) =>
    names.length > 0 && (
      <optgroup label={label}>
        {names.map((name) => (
          <option key={name} value={name}>
            {signalRow(name).label}, {signalRow(name).unit}
          </option>
        ))}
      </optgroup>
    );
  return (
    <div class="field bare">
      <label for={id}>{props.label}</label>
      <select id={id} value={props.value} onChange={(event) => props.onValue(event.currentTarget.value as SignalName)}>
        {props.value === '' && <option value="">Not mapped</option>}
        {group('Units that fit', SIGNAL_NAMES.filter(fits))}
        {group(
          'Others: say the unit',
          SIGNAL_NAMES.filter((name) => !fits(name)),
        )}
      </select>
    </div>
  );
}

/** The unit of the number: that of the file, or the one that a person says it is. */
function Unit(props: { entry: MappedSignal; written: string | undefined; onValue(unit: string | null): void }) {
  const id = useId();
  const { entry, written } = props;
  const to = entry.to as SignalName;
  const fits = written !== undefined && conversionOf(written, to) !== undefined;
  return (
    <div class="field bare">
      <label for={id}>Unit of {keyOf(entry)}</label>
      <select
        id={id}
        value={entry.unit ?? ''}
        onChange={(event) => props.onValue(event.currentTarget.value === '' ? null : event.currentTarget.value)}
      >
        <option value="">
          {written === undefined ? 'As in the file' : fits ? `${written}, as in the file` : 'Say the unit'}
        </option>
        {unitsOf(to).map((unit) => (
          <option key={unit} value={unit}>
            {unit}
          </option>
        ))}
      </select>
    </div>
  );
}

function Entry(props: {
  entry: MappedSignal;
  written: string | undefined;
  fault: string | undefined;
  frozen: boolean;
  onEntry(entry: MappedSignal | null): void;
}) {
  const { entry, written, fault, frozen, onEntry } = props;
  const words = conversionWords(entry.unit ?? written ?? '', entry.to);
  const name = keyOf(entry);
  const isKnown = entry.unit !== null || written !== undefined;
  return (
    <tr>
      <th scope="row">
        {entry.signal}
        <small>{entry.message}</small>
      </th>
      <td class="control" data-label="Is our">
        {frozen ? (
          signalRow(entry.to as SignalName).label
        ) : (
          <Ours
            label={`${name} is our`}
            unit={entry.unit ?? written ?? ''}
            value={entry.to}
            onValue={(to) => onEntry({ ...entry, to, unit: null })}
          />
        )}
      </td>
      <td class="control" data-label="Unit">
        {frozen ? (
          (entry.unit ?? written ?? '')
        ) : (
          <Unit entry={entry} written={written} onValue={(unit) => onEntry({ ...entry, unit })} />
        )}
      </td>
      <td class="wrap" data-label="Converted">
        {isKnown ? (words ?? <b class="warn">Say the unit</b>) : 'reading the file'}
        {fault !== undefined && <small class="warn">{fault}</small>}
      </td>
      <td data-label="When J1939 has it too">
        {frozen ? (
          entry.preferred ? (
            'this one counts'
          ) : (
            'J1939 counts'
          )
        ) : (
          <label class="check">
            <input
              type="checkbox"
              checked={entry.preferred}
              onChange={(event) => onEntry({ ...entry, preferred: event.currentTarget.checked })}
            />
            this one counts<span class="hidden">, {name}</span>
          </label>
        )}
      </td>
      {!frozen && (
        <td>
          <button type="button" class="quiet" onClick={() => onEntry(null)} aria-label={`Remove ${name}`}>
            Remove
          </button>
        </td>
      )}
    </tr>
  );
}

/** What a person looks for in the file. */
function Search(props: {
  session: Session;
  file: DbcFile;
  mapped: ReadonlySet<string>;
  onUnits(rows: readonly Found[]): void;
  onAdd(row: Found, to: SignalName): void;
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
        <label for={id}>Find a signal by its name or that of its message</label>
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
      {data === null && problem === null && <p class="waiting">Reading the file</p>}
      {data !== null && rows.length === 0 && <p class="aside">No signal of this file has that in its name.</p>}
      {rows.length > 0 && (
        <div class="table stacks inner">
          <table>
            <thead>
              <tr>
                <th scope="col">Signal</th>
                <th scope="col">Frame</th>
                <th scope="col">Unit</th>
                <th scope="col">Is our</th>
              </tr>
            </thead>
            <tbody>
              {shown.map((row) => (
                <tr key={keyOf(row)}>
                  <th scope="row">
                    {row.signal}
                    <small>
                      {row.message}
                      {row.comment !== '' && `: ${row.comment.slice(0, 120)}`}
                    </small>
                  </th>
                  <td data-label="Frame">
                    <span class="mono">{row.id}</span>
                    {row.pgn !== null && <small class="said-line">PGN {row.pgn}</small>}
                    {row.spn !== null && (
                      <small class="said-line">
                        {[`SPN ${row.spn}`, parameterName(row.spn)].filter(Boolean).join(': ')}
                      </small>
                    )}
                  </td>
                  <td data-label="Unit">{row.unit === '' ? 'none' : row.unit}</td>
                  <td class="control" data-label="Is our">
                    {props.mapped.has(keyOf(row)) ? (
                      'mapped above'
                    ) : (
                      <Ours
                        label={`Map ${keyOf(row)} to`}
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
            {shown.length} of {count(data.total, 'signal')}.{data.total > rows.length && ' Search to narrow them down.'}
          </span>
          {rows.length > shown.length && (
            <button type="button" onClick={() => setAll(true)}>
              Show {rows.length}
            </button>
          )}
        </div>
      )}
    </>
  );
}

/** Faults by their place in the mapping. */
function faultsOf(error: unknown): ReadonlyMap<number, string> {
  const details = error instanceof ClientError ? (error.error?.details ?? []) : [];
  return new Map(
    details.flatMap(({ param, message }) => {
      const at = /^mapping\[(\d+)\]$/.exec(String(param))?.[1];
      return at === undefined ? [] : [[Number(at), String(message)] as const];
    }),
  );
}

/** The units of signals that no list has shown yet, asked for one by one, and again while the gateway does not answer. */
function useUnits(session: Session, file: DbcFile, mapping: readonly MappedSignal[]) {
  const [units, setUnits] = useState<Units>(new Map());
  const [round, setRound] = useState(0);
  const take = (rows: readonly Found[]) =>
    setUnits((before) => new Map([...before, ...rows.map((row) => [keyOf(row), row.unit] as const)]));
  const missing = mapping.find((one) => !units.has(keyOf(one)));
  const key = missing === undefined ? '' : keyOf(missing);
  useEffect(() => {
    if (key === '') return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    session.client.call('dbc_signals', { id: file.id, q: key.slice(0, 100) }).then(
      // What the file has not is asked for once.
      ({ data }) =>
        setUnits((before) => new Map([[key, ''], ...before, ...data.map((row) => [keyOf(row), row.unit] as const)])),
      () => {
        timer = setTimeout(() => setRound((n) => n + 1), RETRY_MS);
      },
    );
    return () => clearTimeout(timer);
  }, [key, round]);
  return { units, take };
}

export function DbcMapping(props: {
  session: Session;
  file: DbcFile;
  /** The version before, whose mapping can be taken over. */
  before: DbcFile | undefined;
  onSaved(): void;
}) {
  const { session, file, before } = props;
  const [draft, setDraft] = useKept<Draft>(`mapping ${file.id}`);
  const [faults, setFaults] = useState<ReadonlyMap<number, string>>(new Map());
  const [allOffered, setAllOffered] = useState(false);
  const { busy, problem, send } = useSend();
  const frozen = file.first_activated_at !== null;
  const mapping = (frozen ? undefined : draft?.mapping) ?? file.mapping;
  // Somebody else saved another one while this one was being made.
  const isMet = !frozen && draft !== null && draft.revision !== file.revision;
  const { units, take } = useUnits(session, file, mapping);
  const suggested = usePolled(() => session.client.call('dbc_signals', { id: file.id }), 600_000, [file.id]);
  const mapped = new Set(mapping.map(keyOf));
  const change = (next: readonly MappedSignal[]) => {
    setFaults(new Map());
    setDraft({ mapping: next.slice(0, DBC_BOUNDS.mapped), revision: draft?.revision ?? file.revision });
  };
  const add = (entries: readonly Pick<MappedSignal, 'message' | 'signal' | 'to'>[]) =>
    change([
      ...mapping,
      ...entries.filter((one) => !mapped.has(keyOf(one))).map((one) => ({ ...one, unit: null, preferred: false })),
    ]);
  const offered = (suggested.data?.suggested ?? []).filter((one) => !mapped.has(keyOf(one)));
  const save = () =>
    send(async () => {
      try {
        const input = { id: file.id, mapping: [...mapping] };
        const once = { if_match: draft?.revision ?? file.revision, idempotency_key: onceKey() };
        await session.client.call('dbc_map', input, once);
      } catch (error) {
        setFaults(faultsOf(error));
        props.onSaved();
        throw error;
      }
      setDraft(null);
      setFaults(new Map());
      props.onSaved();
    });
  return (
    <section class="panel-box" aria-label="Mapping">
      <h2>Which signals are ours</h2>
      {frozen && (
        <p class="aside">
          This version was in use: its mapping stays, so that what it decoded can be told from it. Import the file again
          for another mapping.
        </p>
      )}
      {mapping.length === 0 && (
        <Empty title="Nothing is mapped yet">Take what the file suggests, or find signals below.</Empty>
      )}
      {mapping.length > 0 && (
        <div class="table stacks inner early">
          <table>
            <thead>
              <tr>
                <th scope="col">Signal</th>
                <th scope="col">Is our</th>
                <th scope="col">Unit</th>
                <th scope="col">Converted</th>
                <th scope="col">When J1939 has it too</th>
                {!frozen && (
                  <th scope="col">
                    <span class="hidden">Remove</span>
                  </th>
                )}
              </tr>
            </thead>
            <tbody>
              {mapping.map((entry, i) => (
                <Entry
                  key={keyOf(entry)}
                  entry={entry}
                  written={units.get(keyOf(entry))}
                  fault={faults.get(i)}
                  frozen={frozen}
                  onEntry={(next) =>
                    change(mapping.flatMap((one, k) => (k !== i ? [one] : next === null ? [] : [next])))
                  }
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {!frozen && (
        <>
          <Problem text={isMet ? null : problem} />
          {isMet && (
            <div class="problem met-mapping" role="alert">
              <p>
                Somebody else changed this file meanwhile: {count(file.mapping.length, 'signal')} mapped. Yours is still
                here.
              </p>
              <div class="actions">
                <button type="button" onClick={() => setDraft(null)}>
                  Take theirs
                </button>
                <button type="button" onClick={() => setDraft({ mapping, revision: file.revision })}>
                  Go on with mine
                </button>
              </div>
            </div>
          )}
          <div class="actions">
            <button type="button" class="primary" disabled={busy || draft === null || isMet} onClick={save}>
              {busy ? 'Saving' : 'Save the mapping'}
            </button>
            {draft !== null && (
              <button type="button" disabled={busy} onClick={() => setDraft(null)}>
                Undo changes
              </button>
            )}
            {before !== undefined && before.mapping.length > 0 && mapping.length === 0 && (
              <button type="button" onClick={() => change(before.mapping)}>
                Take over {before.mapping.length} from version {before.version}
              </button>
            )}
          </div>
          {offered.length > 0 && (
            <div class="offered">
              <div class="row">
                <h3>The file suggests</h3>
                {offered.length > 1 && (
                  <button type="button" onClick={() => add(offered)}>
                    Add all {offered.length}
                  </button>
                )}
              </div>
              <ul>
                {(allOffered ? offered : offered.slice(0, OFFERED)).map((one) => (
                  <li key={keyOf(one)}>
                    <span>
                      <b>{one.signal}</b> is {signalRow(one.to as SignalName).label}
                      <small class="said-line">{one.message}</small>
                    </span>
                    <button type="button" onClick={() => add([one])} aria-label={`Add ${keyOf(one)}`}>
                      Add
                    </button>
                  </li>
                ))}
              </ul>
              {!allOffered && offered.length > OFFERED && (
                <div class="actions">
                  <button type="button" onClick={() => setAllOffered(true)}>
                    Show all {offered.length}
                  </button>
                </div>
              )}
            </div>
          )}
          <h3>Find signals</h3>
          <Search
            session={session}
            file={file}
            mapped={mapped}
            onUnits={take}
            onAdd={({ message, signal }, to) => add([{ message, signal, to }])}
          />
          {mapping.length >= DBC_BOUNDS.mapped && (
            <p class="aside">A file has {DBC_BOUNDS.mapped} mapped signals at most.</p>
          )}
        </>
      )}
    </section>
  );
}
