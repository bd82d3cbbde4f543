/** Lists the logs that devices uploaded before a DBC file was in use, and asks the gateway to decode them again with the file. */
import { useState } from 'preact/hooks';
import { t } from '#ui/languages/texts.ts';
import { FileTable } from '#ui/office/base/file-table.tsx';
import { readAll } from '#ui/office/base/lists.ts';
import { Empty, Problem, TruncationNote } from '#ui/office/base/parts.tsx';
import { errorText, newIdempotencyKey, type Session } from '#ui/office/base/session.ts';
import { useNow, usePolled, useSend } from '#ui/office/base/use.ts';
import type { DbcFile } from './dbc-text.ts';

const SHOWN = 50;

export function DecodeAgain({ session, file }: { session: Session; file: DbcFile }) {
  const { client } = session;
  const now = useNow(session.now);
  const { data, problem } = usePolled(
    (signal) => readAll(session, 'artifacts_list', {}, signal),
    10_000,
    [session],
    ['artifact'],
  );
  const [round, setRound] = useState(0);
  const [asked, setAsked] = useState<{ done: number; of: number; refused: readonly string[] } | null>(null);
  const { busy, problem: failed, send } = useSend();
  const suited = (data?.items ?? [])
    .filter(({ decode_task_id, device_id }) => decode_task_id !== null && device_id !== null)
    .filter(({ device_id }) => file.device_ids === null || file.device_ids.includes(device_id ?? ''));
  const logs = suited.slice(0, SHOWN);
  const all = () =>
    send(async () => {
      const refused: string[] = [];
      for (const [done, log] of logs.entries()) {
        setAsked({ done, of: logs.length, refused });
        try {
          const input = { id: log.device_id ?? '', artifact_id: log.id };
          await client.call('artifacts_decode', input, { idempotency_key: newIdempotencyKey() });
        } catch (error) {
          refused.push(`${log.name ?? t('Without a name')}: ${errorText(error)}`);
        }
        setRound((n) => n + 1);
      }
      setAsked({ done: logs.length, of: logs.length, refused });
    });
  return (
    <section class="panel-box" aria-label={t('Earlier logs')}>
      <div class="head">
        <h2>{t('Earlier logs')}</h2>
        {logs.length > 1 && (
          <button type="button" disabled={busy} onClick={all}>
            {busy
              ? t('Started {done} of {all}', { done: asked?.done ?? 0, all: logs.length })
              : t('Decode all {n} again', { n: logs.length })}
          </button>
        )}
      </div>
      <p class="aside">
        {t(
          'The gateway does not decode stored data again by itself. Decode a log again to apply the DBC files that are in use now: the gateway adds missing values and keeps the values that it has.',
        )}
      </p>
      <Problem text={problem ?? failed} />
      {asked !== null && !busy && (
        <p class="arrived" role="status">
          {t(
            'Decoding of {n} log started. The list shows the progress.|Decoding of {n} logs started. The list shows the progress.',
            { n: asked.of - asked.refused.length },
          )}
        </p>
      )}
      {asked?.refused.map((text) => (
        <Problem key={text} text={text} />
      ))}
      {data !== null && logs.length === 0 && (
        <Empty title={t('No logs')}>
          {t('This list shows logs that devices upload, or that you upload for a device.')}
        </Empty>
      )}
      {logs.length > 0 && <FileTable files={logs} session={session} now={now} again round={round} />}
      <TruncationNote
        shown={logs.length}
        total={suited.length}
        what={t('logs, newest first; use the API to decode older logs')}
      />
    </section>
  );
}
