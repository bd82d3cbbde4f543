/** Takes back what a run wrote. The page first lists what will happen, and asks. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Output } from '#contract/operations.ts';
import { said, t, type Word } from '#ui/languages/texts.ts';
import { Problem, Told } from '#ui/office/base/parts.tsx';
import type { Session } from '#ui/office/base/session.ts';
import { useSend } from '#ui/office/base/use.ts';
import { objectText } from '#ui/office/language/object-words.ts';

type Plan = Output<'tasks_undo'>;
type Item = Plan['items'][number];

const DOES: Readonly<Record<Item['action'], Word>> = {
  restore: 'Gets its earlier values back',
  withdraw: 'Is taken out of use',
  delete: 'Is deleted',
  leave: 'Stays',
};

const STAYS: Word =
  'An undo does not take back recorded services, sent messages and webhooks, counted downtime, and entries of logs.';

function Runs({ plan: { run_id, run_ids } }: { plan: Plan }) {
  const ids = <code>{run_ids.length <= 1 ? (run_ids[0] ?? run_id) : run_ids.join(', ')}</code>;
  return (
    <p>
      {run_ids.length <= 1
        ? said('Run: {ids}', { ids })
        : said('All {count} runs of this task that wrote, the newest first: {ids}', { count: run_ids.length, ids })}
    </p>
  );
}

/** What happens to an object, its fields, and why. */
function Does({ item: { action, fields, why } }: { item: Item }) {
  const names = fields.length > 0 && <code>{fields.join(', ')}</code>;
  if (why !== null)
    return (
      <dd>
        {t(DOES[action])}
        {names && <> ({names})</>}: <Told text={why} />
      </dd>
    );
  return (
    <dd>
      {t(DOES[action])}
      {names && <>: {names}</>}.
    </dd>
  );
}

function PlanList({ items }: { items: readonly Item[] }) {
  if (items.length === 0) return <p>{t('The run wrote nothing.')}</p>;
  return (
    <dl class="facts">
      {items.map((item, i) => (
        <div key={i}>
          <dt>
            {objectText(item.object)} {item.object === 'event' ? <code>{item.name}</code> : item.name}
          </dt>
          <Does item={item} />
        </div>
      ))}
    </dl>
  );
}

/** The button *Undo the task*, with its question. `onStarted` gets the id of the task that takes back. */
export function Undo(props: { session: Session; task_id: string; onStarted(id: string): void }) {
  const { session, task_id, onStarted } = props;
  const [plan, setPlan] = useState<Plan | null>(null);
  const { busy, problem, send } = useSend();
  const question = useRef<HTMLDivElement>(null);
  // The button may be at the lower end of the window.
  useLayoutEffect(() => question.current?.scrollIntoView({ block: 'nearest' }), [plan]);
  const ask = (dry_run: boolean) =>
    send(async () => {
      const known = plan === null ? {} : { run_id: plan.run_id };
      const answer = await session.client.call('tasks_undo', { task_id, dry_run, ...known });
      setPlan(answer);
      if (answer.task !== null) onStarted(answer.task.id);
    });
  if (plan === null)
    return (
      <>
        <button type="button" disabled={busy} onClick={() => ask(true)}>
          {t('Undo the task')}
        </button>
        <Problem text={problem} />
      </>
    );
  const takesBack = plan.items.some(({ action }) => action !== 'leave');
  return (
    <div ref={question} class="nested" role="alertdialog" aria-label={t('Take back what this task wrote?')}>
      <h3>{takesBack ? t('Take back what this task wrote?') : t('Nothing can be taken back.')}</h3>
      <Runs plan={plan} />
      <PlanList items={plan.items} />
      {plan.more > 0 && (
        <p>
          {t(
            'The plan has no room for {n} further object. Undo the task again afterwards.|The plan has no room for {n} further objects. Undo the task again afterwards.',
            { n: plan.more },
          )}
        </p>
      )}
      <p class="aside">{t(STAYS)}</p>
      <Problem text={problem} />
      <div class="buttons">
        {takesBack && (
          <button type="button" class="primary" disabled={busy} onClick={() => ask(false)}>
            {t('Take back')}
          </button>
        )}
        <button type="button" class="quiet" onClick={() => setPlan(null)}>
          {t('Close')}
        </button>
      </div>
    </div>
  );
}
