/** A table of files that devices uploaded, with the state of their decoding. */
import { ClientError } from '#contract/client.ts';
import type { Output } from '#contract/operations.ts';
import { duration } from '#ui/format.ts';
import { t, translated, type Word } from '#ui/languages/texts.ts';
import { AsIs, Problem, Told } from './parts.tsx';
import { errorText, may, newIdempotencyKey, type Session } from './session.ts';
import { size } from './size.ts';
import { usePolled, useSend } from './use.ts';

type Artifact = Output<'artifacts_get'>;
type Run = NonNullable<Output<'tasks_get'>['run']>;

const DECODED: Readonly<Partial<Record<string, Word>>> = {
  pending: 'waiting',
  running: 'decoding',
  completed: 'decoded',
  canceled: 'canceled',
};

/** Reads the latest run of the task that decodes a file. If the gateway has deleted the run, `gone` is the error message of the gateway. */
export async function readRun(session: Session, task_id: string | null | undefined) {
  if (task_id == null) return { run: null, gone: null };
  try {
    return { run: (await session.client.call('tasks_get', { task_id })).run, gone: null };
  } catch (error) {
    if (error instanceof ClientError && error.code === 'past_retention') return { run: null, gone: errorText(error) };
    throw error;
  }
}

/** What the gateway says about the decoding of a file: why it failed, or what was in the file. */
export function RunSays({ run }: { run: Run }) {
  return (
    <>
      {run.status === 'failed' && run.error !== null && <Told text={run.error.message} />}
      {run.output?.summary != null && (
        <small>
          <AsIs>{run.output.summary}</AsIs>
        </small>
      )}
    </>
  );
}

interface Shown {
  session: Session;
  now: number;
  /** True to show the button "Decode again" beside files that are decoded already. */
  again?: boolean;
  /** The caller increases this number so that the table reads the state of all runs again. A run is one attempt to decode a file. */
  round?: number;
}

/** Shows the files in the order of `files`. */
export function FileTable({ files, ...shown }: Shown & { files: readonly Artifact[] }) {
  return (
    <div class="table stacks inner">
      <table>
        <thead>
          <tr>
            <th scope="col">{t('File')}</th>
            <th scope="col">{t('Received')}</th>
            <th scope="col" class="figure">
              {t('Size')}
            </th>
            <th scope="col">{t('Decoding')}</th>
          </tr>
        </thead>
        <tbody>
          {files.map((file) => (
            <FileRow key={file.id} file={file} {...shown} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function FileRow(props: Shown & { file: Artifact }) {
  const { file, session, now } = props;
  const task_id = file.decode_task_id;
  const { busy, problem, send } = useSend();
  const read = usePolled(() => readRun(session, task_id), 5_000, [task_id, props.round]);
  const { run: data, gone } = read.data ?? { run: null, gone: null };
  const hasEnded = data !== null && data.status !== 'pending' && data.status !== 'running';
  const isOver = hasEnded && (data.status !== 'completed' || props.again === true);
  const isOffered = may(session, 'artifacts_decode') && file.device_id !== null && (isOver || gone !== null);
  const isTold = data?.status === 'failed' && data.error !== null;
  const words =
    data === null || isTold ? '' : data.status === 'failed' ? t('failed') : translated(DECODED[data.status] ?? '');
  return (
    <tr>
      <th scope="row">
        {file.name ?? t('Without a name')}
        {file.origin?.session != null && (
          <small>
            {t('session {session}, split {split}', { session: file.origin.session, split: file.origin.split ?? '?' })}
          </small>
        )}
      </th>
      <td data-label={t('Received')}>{t('{age} ago', { age: duration(now - Date.parse(file.received_at)) })}</td>
      <td class="figure" data-label={t('Size')}>
        {size(file.bytes)}
      </td>
      <td class="wrap" data-label={t('Decoding')}>
        {words}
        {gone !== null && <small>{gone}</small>}
        {data !== null && <RunSays run={data} />}
        {isOffered && (
          <button
            type="button"
            disabled={busy}
            onClick={() =>
              send(async () => {
                const input = { id: file.device_id as string, artifact_id: file.id };
                await session.client.call('artifacts_decode', input, { idempotency_key: newIdempotencyKey() });
                read.reload();
              })
            }
          >
            {t('Decode again')}
          </button>
        )}
        <Problem text={problem} />
        {data?.status === 'running' && data.progress_pct !== null && <progress max={100} value={data.progress_pct} />}
      </td>
    </tr>
  );
}
