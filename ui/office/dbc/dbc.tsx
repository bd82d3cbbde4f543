/** The list of DBC files, which describe the proprietary frames of a manufacturer. */
import { useState } from 'preact/hooks';
import { moment } from '#ui/format.ts';
import { t } from '#ui/languages/texts.ts';
import { readAll } from '#ui/office/base/lists.ts';
import { Empty, Problem } from '#ui/office/base/parts.tsx';
import type { Session } from '#ui/office/base/session.ts';
import { useNow, usePolled } from '#ui/office/base/use.ts';
import { DbcBadge } from './dbc-badge.tsx';
import { DbcFilePage } from './dbc-file.tsx';
import { type DbcFile, inOrder, number } from './dbc-text.ts';
import { DbcUpload } from './dbc-upload.tsx';

function Row({ file, now, zone }: { file: DbcFile; now: number; zone: string }) {
  return (
    <tr>
      <th scope="row">
        <a href={`#dbc/${file.id}`}>
          {file.name} <span class="version">v{file.version}</span>
        </a>
      </th>
      <td data-label={t('State')}>
        <DbcBadge file={file} />
      </td>
      <td class="figure" data-label={t('Messages')}>
        {number(file.messages)}
      </td>
      <td class="figure" data-label={t('Signals')}>
        {number(file.signals)}
      </td>
      <td class="figure" data-label={t('Mapped')}>
        {file.mapping.length}
      </td>
      <td class="figure" data-label={t('Ignored')}>
        {file.notes.length === 0 ? '0' : <b class="warn">{file.notes.length}</b>}
      </td>
      <td data-label={t('Imported')}>{moment(Date.parse(file.created_at), now, zone)}</td>
    </tr>
  );
}

function DbcList({ session }: { session: Session }) {
  const list = usePolled((signal) => readAll(session, 'dbc_list', {}, signal), 10_000, [session], ['dbc_file']);
  const [adding, setAdding] = useState(false);
  const now = useNow(session.now);
  const files = inOrder(list.data?.items ?? []);
  const isEmpty = list.data !== null && files.length === 0;
  return (
    <>
      <div class="head">
        <h1>{t('DBC files')}</h1>
        {!isEmpty && (
          <button type="button" onClick={() => setAdding(!adding)} aria-expanded={adding}>
            {t(adding ? 'Close' : 'Import a file')}
          </button>
        )}
      </div>
      <p class="aside">
        {t(
          'The gateway decodes standard J1939 data without a DBC file. For other data on the bus of a machine, import the DBC file of the manufacturer, map its signals, try it on real traffic, then put it into use.',
        )}
      </p>
      <Problem text={list.problem} />
      {list.data === null && list.problem === null && <p class="waiting">{t('Loading')}</p>}
      {isEmpty && (
        <Empty title={t('No DBC files yet')}>
          {t('Ask the manufacturer of the machine for the DBC file of its bus.')}
        </Empty>
      )}
      {(adding || isEmpty) && (
        <DbcUpload
          session={session}
          files={files}
          onDone={(file) => {
            location.hash = `#dbc/${file.id}`;
          }}
        />
      )}
      {files.length > 0 && (
        <div class="table stacks rows-open">
          <table>
            <thead>
              <tr>
                <th scope="col">{t('File')}</th>
                <th scope="col">{t('State')}</th>
                {(['Messages', 'Signals', 'Mapped', 'Ignored'] as const).map((name) => (
                  <th scope="col" class="figure" key={name}>
                    {t(name)}
                  </th>
                ))}
                <th scope="col">{t('Imported')}</th>
              </tr>
            </thead>
            <tbody>
              {files.map((file) => (
                <Row key={file.id} file={file} now={now} zone={session.project.timezone} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}

export function DbcPage({ session, id }: { session: Session; id: string }) {
  return id === '' ? <DbcList session={session} /> : <DbcFilePage key={id} session={session} id={id} />;
}
