/** The page of one version of a DBC file: its contents, mapping, trial and use, and a list of the other versions. */
import { useState } from 'preact/hooks';
import { moment } from '#ui/format.ts';
import { t } from '#ui/languages/texts.ts';
import { readAll } from '#ui/office/base/lists.ts';
import { Copy, NoRecord, Problem } from '#ui/office/base/parts.tsx';
import type { Session } from '#ui/office/base/session.ts';
import { size } from '#ui/office/base/size.ts';
import { usePolled, useSend } from '#ui/office/base/use.ts';
import { DbcBadge } from './dbc-badge.tsx';
import { DbcMapping } from './dbc-mapping.tsx';
import { type DbcFile, inOrder, number } from './dbc-text.ts';
import { DbcTrial, type DbcTrialResult } from './dbc-trial.tsx';
import { DbcUpload } from './dbc-upload.tsx';
import { DbcUse } from './dbc-use.tsx';
import { DecodeAgain } from './decode-again.tsx';

/** The gateway returns at most this number of notes about a DBC file. */
const MOST_NOTES = 100;

function LeftOut({ notes }: { notes: readonly string[] }) {
  if (notes.length === 0) return <p>{t('The gateway can read the whole file.')}</p>;
  return (
    <details class="notes" open={notes.length <= 10}>
      <summary>
        <b class="warn">
          {notes.length === MOST_NOTES
            ? t('{n} problems or more', { n: notes.length })
            : t('{n} problem|{n} problems', { n: notes.length })}
        </b>
        : {t('parts that the gateway ignores, and why')}
      </summary>
      <ul class="left-out" lang="en" data-as-is>
        {notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    </details>
  );
}

function Versions(props: { session: Session; file: DbcFile; files: readonly DbcFile[] }) {
  const { session, file } = props;
  const [adding, setAdding] = useState(false);
  const [sure, setSure] = useState(false);
  const { busy, problem, send } = useSend();
  const versions = props.files.filter(({ name }) => name === file.name);
  const now = session.now();
  return (
    <section class="panel-box" aria-label={t('Versions')}>
      <div class="head">
        <h2>{t('Versions')}</h2>
        <button type="button" onClick={() => setAdding(!adding)} aria-expanded={adding}>
          {t(adding ? 'Close' : 'Import a new version')}
        </button>
      </div>
      {adding && (
        <DbcUpload
          session={session}
          files={props.files}
          name={file.name}
          onDone={(next) => {
            location.hash = `#dbc/${next.id}`;
          }}
        />
      )}
      <ul class="versions rows-open">
        {versions.map((one) => (
          <li key={one.id}>
            {one.id === file.id ? (
              <b>{t('Version {n}', { n: one.version })}</b>
            ) : (
              <a href={`#dbc/${one.id}`}>{t('Version {n}', { n: one.version })}</a>
            )}
            <DbcBadge file={one} />
            <small>
              {moment(Date.parse(one.created_at), now, session.project.timezone)}, {size(one.bytes)}
              {one.file_version !== '' && `, ${t('file version {version}', { version: one.file_version })}`}
            </small>
          </li>
        ))}
      </ul>
      <Problem text={problem} />
      {!file.active && (
        <div class="actions">
          {sure ? (
            <>
              <button
                type="button"
                disabled={busy}
                onClick={() =>
                  send(async () => {
                    await session.client.call('dbc_delete', { id: file.id }, { if_match: file.revision });
                    const left = versions.find(({ id }) => id !== file.id);
                    location.hash = left === undefined ? '#dbc' : `#dbc/${left.id}`;
                  })
                }
              >
                {t('Yes, delete version {n} and keep its decoded values', { n: file.version })}
              </button>
              <button type="button" class="quiet" onClick={() => setSure(false)}>
                {t('Cancel')}
              </button>
            </>
          ) : (
            <button type="button" class="quiet" onClick={() => setSure(true)}>
              {t('Delete version {n}', { n: file.version })}
            </button>
          )}
        </div>
      )}
      <Copy label={t('ID for the API')} text={file.id} />
    </section>
  );
}

export function DbcFilePage({ session, id }: { session: Session; id: string }) {
  const list = usePolled((signal) => readAll(session, 'dbc_list', {}, signal), 10_000, [session, id], ['dbc_file']);
  const [trial, setTrial] = useState<{ result: DbcTrialResult; revision: number } | null>(null);
  const files = inOrder(list.data?.items ?? []);
  const file = files.find((one) => one.id === id);
  if (file === undefined)
    return (
      <NoRecord
        title={t('DBC files')}
        href="#dbc"
        all={t('All DBC files')}
        problem={list.data === null ? list.problem : t('This DBC file does not exist. It may have been deleted.')}
      />
    );
  return (
    <>
      <a class="back" href="#dbc">
        {t('All DBC files')}
      </a>
      <div class="head">
        <h1>
          {file.name} <small>{t('version {n}', { n: file.version })}</small>
        </h1>
        <DbcBadge file={file} />
      </div>
      <Problem text={list.problem} />
      <section class="panel-box" aria-label={t('Contents')}>
        <p>
          {t('{messages} with {signals}, {mapped}.', {
            messages: t('{n} message|{n} messages', { n: number(file.messages) }),
            signals: t('{n} signal|{n} signals', { n: number(file.signals) }),
            mapped: t('{n} signal mapped|{n} signals mapped', { n: number(file.mapping.length) }),
          })}
        </p>
        <LeftOut notes={file.notes} />
      </section>
      <DbcMapping
        session={session}
        file={file}
        before={files.find((one) => one.name === file.name && one.version < file.version && one.mapping.length > 0)}
        onSaved={list.reload}
      />
      <DbcTrial session={session} file={file} onResult={(result) => setTrial({ result, revision: file.revision })} />
      <DbcUse
        session={session}
        file={file}
        files={files}
        trial={trial?.result ?? null}
        tried={trial?.revision ?? null}
        onDone={list.reload}
      />
      {file.active && <DecodeAgain session={session} file={file} />}
      <Versions session={session} file={file} files={files} />
    </>
  );
}
