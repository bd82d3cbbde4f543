/** Takes back what a run wrote. The page first lists what will happen, and asks. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Output } from '#contract/operations.ts';
import { Problem } from '#ui/office/base/parts.tsx';
import type { Session } from '#ui/office/base/session.ts';
import { useSend } from '#ui/office/base/use.ts';

type Plan = Output<'tasks_undo'>;
type Item = Plan['items'][number];

const DOES: Readonly<Record<Item['action'], string>> = {
  restore: 'Gets its earlier values back',
  withdraw: 'Is taken out of use',
  delete: 'Is deleted',
  leave: 'Stays',
};

const STAYS =
  'An undo does not take back recorded services, sent messages and webhooks, counted downtime, and entries of logs.';

function runsText({ run_id, run_ids }: Plan): string {
  if (run_ids.length <= 1) return `Run: ${run_ids[0] ?? run_id}`;
  return `All ${run_ids.length} runs of this task that wrote, the newest first: ${run_ids.join(', ')}`;
}

function textOf({ action, fields, why }: Item): string {
  if (why !== null) return `${DOES[action]}${fields.length === 0 ? '' : ` (${fields.join(', ')})`}: ${why}`;
  return fields.length === 0 ? `${DOES[action]}.` : `${DOES[action]}: ${fields.join(', ')}.`;
}

function PlanList({ items }: { items: readonly Item[] }) {
  if (items.length === 0) return <p>The run wrote nothing.</p>;
  return (
    <dl class="facts">
      {items.map((item, i) => (
        <div key={i}>
          <dt>
            {item.object.replaceAll('_', ' ')} {item.name}
          </dt>
          <dd>{textOf(item)}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The button *Undo* of a task, with its question. `onStarted` gets the id of the task that takes back. */
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
          Undo
        </button>
        <Problem text={problem} />
      </>
    );
  const takesBack = plan.items.some(({ action }) => action !== 'leave');
  return (
    <div ref={question} class="nested" role="alertdialog" aria-label="Take back what this task wrote?">
      <h3>{takesBack ? 'Take back what this task wrote?' : 'Nothing can be taken back.'}</h3>
      <p>{runsText(plan)}</p>
      <PlanList items={plan.items} />
      {plan.more > 0 && <p>The plan has no room for {plan.more} further objects. Undo the task again afterwards.</p>}
      <p class="aside">{STAYS}</p>
      <Problem text={problem} />
      <div class="buttons">
        {takesBack && (
          <button type="button" class="primary" disabled={busy} onClick={() => ask(false)}>
            Take back
          </button>
        )}
        <button type="button" class="quiet" onClick={() => setPlan(null)}>
          Close
        </button>
      </div>
    </div>
  );
}
