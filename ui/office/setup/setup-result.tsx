/** What a setup made: its progress, then the numbers of objects and what a person must still add. */
import { t } from '#ui/languages/texts.ts';
import { Problem, Told } from '#ui/office/base/parts.tsx';
import type { Session } from '#ui/office/base/session.ts';
import { usePolled } from '#ui/office/base/use.ts';
import { HeardLoggers } from './heard-loggers.tsx';

const EVERY_MS = 500;

export function SetupResult({ session, task_id }: { session: Session; task_id: string }) {
  const { data, problem } = usePolled((signal) => session.client.call('tasks_get', { task_id }, { signal }), EVERY_MS, [
    task_id,
  ]);
  const run = data?.run ?? null;
  const isDone = run?.terminal_event_count === 1;
  return (
    <>
      <h1>{t('Set up the site')}</h1>
      <section class="panel-box">
        <Problem text={problem} />
        {!isDone && <p role="status">{run === null ? t('Waits for its turn.') : <Told text={run.status_text} />}</p>}
        {isDone && run.error !== null && (
          <p class="problem" role="alert">
            <Told text={run.error.message} /> <Told text={run.error.remedy} />
          </p>
        )}
        {isDone && run.error === null && (
          <p role="status" class="arrived">
            {run.output?.summary == null ? t('Done.') : <Told text={run.output.summary} />}
          </p>
        )}
        {isDone && run.gaps.length > 0 && (
          <ul class="plan-list">
            {run.gaps.map(({ message, remedy, ref }, i) => (
              <li key={i}>
                {ref !== null && <q>{ref}</q>} <Told text={message} /> <Told text={remedy} />
              </li>
            ))}
          </ul>
        )}
        {isDone && (
          <p class="actions">
            <a href="#machines">{t('Machines')}</a>
            <a href="#connect">{t('Connect a logger')}</a>
            <a href="#screens">{t('Screens')}</a>
          </p>
        )}
      </section>
      {isDone && <HeardLoggers session={session} />}
    </>
  );
}
