/**
 * The mapping of a DBC file. Each entry names a signal of the file, and the site signal (such as `engine.speed`) under which the gateway
 * stores its values.
 */
import { useState } from 'preact/hooks';
import { ClientError } from '#contract/client.ts';
import { DBC_BOUNDS, type MappedSignal } from '#contract/fleet/dbc.ts';
import { t } from '#ui/languages/texts.ts';
import { Empty, Problem } from '#ui/office/base/parts.tsx';
import { newIdempotencyKey, type Session } from '#ui/office/base/session.ts';
import { useTabState } from '#ui/office/base/tab-state.ts';
import { usePolled, useSend } from '#ui/office/base/use.ts';
import { type DbcFile, number, signalKey } from './dbc-text.ts';
import { MappingSuggestions, type Suggestion } from './mapping-suggestions.tsx';
import { MappingTable } from './mapping-table.tsx';
import { SignalSearch } from './signal-search.tsx';
import { useUnits } from './use-units.ts';

/** A mapping that a person edits, and the revision of the file that the page has shown to the person. */
interface Draft {
  readonly mapping: readonly MappedSignal[];
  readonly revision: number;
}

/** Returns the errors of a mapping that the gateway refused. The key is the index of the mapping entry. */
function faultsOf(error: unknown): ReadonlyMap<number, string> {
  const details = error instanceof ClientError ? (error.error?.details ?? []) : [];
  return new Map(
    details.flatMap(({ param, message }) => {
      const at = /^mapping\[(\d+)\]$/.exec(String(param))?.[1];
      return at === undefined ? [] : [[Number(at), String(message)] as const];
    }),
  );
}

/** Tells this person that another person has saved the mapping in the meantime. This person chooses which of the two mappings to keep. */
function MappingConflict(props: { file: DbcFile; onTheirs(): void; onMine(): void }) {
  return (
    <div class="problem met-mapping" role="alert">
      <p>
        {t('Another person saved this mapping with {signals}. Your changes are still here, but not saved.', {
          signals: t('{n} signal|{n} signals', { n: number(props.file.mapping.length) }),
        })}
      </p>
      <div class="actions">
        <button type="button" onClick={props.onTheirs}>
          {t('Use theirs')}
        </button>
        <button type="button" onClick={props.onMine}>
          {t('Keep mine')}
        </button>
      </div>
    </div>
  );
}

export function DbcMapping(props: {
  session: Session;
  file: DbcFile;
  /** The newest earlier version of this DBC file that has a mapping; undefined if there is none. */
  before: DbcFile | undefined;
  onSaved(): void;
}) {
  const { session, file, before } = props;
  const [draft, setDraft] = useTabState<Draft>(`mapping ${file.id}`);
  const [faults, setFaults] = useState<ReadonlyMap<number, string>>(new Map());
  const { busy, problem, send } = useSend();
  const frozen = file.first_activated_at !== null;
  const mapping = (frozen ? undefined : draft?.mapping) ?? file.mapping;
  const hasConflict = !frozen && draft !== null && draft.revision !== file.revision;
  const { units, take } = useUnits(session, file, mapping);
  const suggested = usePolled(() => session.client.call('dbc_signals', { id: file.id }), 600_000, [file.id]);
  const mapped = new Set(mapping.map(signalKey));
  const offered = (suggested.data?.suggested ?? []).filter((one) => !mapped.has(signalKey(one)));

  const change = (next: readonly MappedSignal[]) => {
    setFaults(new Map());
    setDraft({ mapping: next.slice(0, DBC_BOUNDS.mapped), revision: draft?.revision ?? file.revision });
  };
  const add = (entries: readonly Suggestion[]) =>
    change([
      ...mapping,
      ...entries.filter((one) => !mapped.has(signalKey(one))).map((one) => ({ ...one, unit: null, preferred: false })),
    ]);
  const save = () =>
    send(async () => {
      try {
        const input = { id: file.id, mapping: [...mapping] };
        const once = { if_match: draft?.revision ?? file.revision, idempotency_key: newIdempotencyKey() };
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
    <section class="panel-box" aria-label={t('Mapping')}>
      <h2>{t('Signal mapping')}</h2>
      {frozen && (
        <p class="aside">
          {t(
            'This version was in use, so its mapping cannot change: stored values refer to it. To map other signals, import the file again as a new version.',
          )}
        </p>
      )}
      {mapping.length === 0 && (
        <Empty title={t('No signals mapped yet')}>{t('Add a suggested signal, or find signals below.')}</Empty>
      )}
      {mapping.length > 0 && (
        <MappingTable mapping={mapping} units={units} faults={faults} frozen={frozen} onMapping={change} />
      )}
      {!frozen && (
        <>
          <Problem text={hasConflict ? null : problem} />
          {hasConflict && (
            <MappingConflict
              file={file}
              onTheirs={() => setDraft(null)}
              onMine={() => setDraft({ mapping, revision: file.revision })}
            />
          )}
          <div class="actions">
            <button type="button" class="primary" disabled={busy || draft === null || hasConflict} onClick={save}>
              {t(busy ? 'Saving' : 'Save mapping')}
            </button>
            {draft !== null && (
              <button type="button" disabled={busy} onClick={() => setDraft(null)}>
                {t('Undo changes')}
              </button>
            )}
            {before !== undefined && before.mapping.length > 0 && mapping.length === 0 && (
              <button type="button" onClick={() => change(before.mapping)}>
                {t('Copy {n} signal from version {version}|Copy {n} signals from version {version}', {
                  n: before.mapping.length,
                  version: before.version,
                })}
              </button>
            )}
          </div>
          <MappingSuggestions offered={offered} onAdd={add} />
          <h3>{t('Find signals')}</h3>
          <SignalSearch
            session={session}
            file={file}
            mapped={mapped}
            onUnits={take}
            onAdd={({ message, signal }, to) => add([{ message, signal, to }])}
          />
          {mapping.length >= DBC_BOUNDS.mapped && (
            <p class="aside">{t('A file can have at most {n} mapped signals.', { n: DBC_BOUNDS.mapped })}</p>
          )}
        </>
      )}
    </section>
  );
}
