/** What becomes of a log file that a person dropped on the page of a machine. */
import { said, t } from '#ui/languages/texts.ts';
import { RunSays, readRun } from '#ui/office/base/file-table.tsx';
import { Problem } from '#ui/office/base/parts.tsx';
import type { Session } from '#ui/office/base/session.ts';
import { usePolled } from '#ui/office/base/use.ts';

/** Says how far the decoding of the file is that was sent last, and how it ended ([U373]). */
export function Decoding({
  session,
  device,
  name,
  id,
}: {
  session: Session;
  device: string;
  name: string;
  id: string;
}) {
  const read = usePolled(
    async (signal) => {
      const { decode_task_id } = await session.client.call('artifacts_get', { id }, { signal });
      return { decode_task_id, ...(await readRun(session, decode_task_id)) };
    },
    3_000,
    [session, id],
  );
  if (read.data === null)
    return read.problem === null ? <p role="status">{t('Loading')}</p> : <Problem text={read.problem} />;
  const { decode_task_id, run, gone } = read.data;
  const again = <a href={`#devices/${device}`}>{t('Decode it again on the page of the logger.')}</a>;
  if (run?.status === 'failed')
    return (
      <div class="problem" role="alert">
        {said('{name} was not decoded: {problem}', { name, problem: <RunSays run={run} /> })} {again}
      </div>
    );
  if (run?.status === 'completed')
    return (
      <p role="status">
        {t('{name} is decoded.', { name })} <RunSays run={run} />
      </p>
    );
  if (run?.status === 'canceled')
    return (
      <p role="status">
        {t('The decoding of {name} was canceled.', { name })} {again}
      </p>
    );
  if (gone !== null)
    return (
      <p role="status">
        {t('{name} is on the gateway. How its decoding ended is not known any more.', { name })} {again}
      </p>
    );
  if (decode_task_id === null)
    return (
      <p role="status">
        {t(
          '{name} is on the gateway, but it is no log file that the gateway can decode. If it should be one, choose another file.',
          { name },
        )}
      </p>
    );
  return <p role="status">{t('{name} is on the gateway. It is decoded now.', { name })}</p>;
}
