/** What a run keeps of what it was started with: the action, the skill and the settings of the agent, as they were then. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Output } from '#contract/operations.ts';
import { t } from '#ui/languages/texts.ts';
import { Facts, Problem } from '#ui/office/base/parts.tsx';
import type { Session } from '#ui/office/base/session.ts';
import { usePolled } from '#ui/office/base/use.ts';
import { approversText, useApprovers } from './approvers.tsx';
import { MODES, type Review, toolsText } from './review-text.ts';

type Pin = Output<'runs_get'>['pins'][number];
type Row = readonly [name: string, value: ComponentChildren];

const RARELY_MS = 600_000;

/** The fields of an action, as the gateway stored them. */
function actionRows({ content }: Pin): Row[] {
  const { label, emoji, prompt, skill_id } = (content ?? {}) as Readonly<Record<string, string | null | undefined>>;
  if (label == null) return [];
  return [
    [t('Action'), `${emoji ?? ''} ${label}`],
    [t('Prompt'), prompt],
    [t('Skill'), skill_id == null ? t('None') : <code>{skill_id}</code>],
  ];
}

function reviewRows({ content }: Pin, names: ReadonlyMap<string, string> | null): Row[] {
  if (content == null) return [];
  const { mode, provider, approvers, allowed_tools } = content as Partial<Review>;
  const word = MODES.find(([name]) => name === mode)?.[1];
  return [
    [t('The agent'), word === undefined ? mode : t(word)],
    [
      t('Model'),
      provider == null ? t('No model is set.') : t('{model} at {url}.', { model: provider.model, url: provider.url }),
    ],
    [t('Approvers'), approversText(approvers ?? [], names)],
    [t('Allowed tools'), toolsText(allowed_tools ?? null)],
  ];
}

const TITLES = {
  custom_action: 'Action, revision {n}',
  skill_revision: 'Skill, revision {n}',
  review_configuration: 'Settings of the agent, revision {n}',
} as const;

function hashRow({ object, hash, revision, valid }: Pin): Row {
  const title = TITLES[object as keyof typeof TITLES];
  return [
    title === undefined ? object : t(title, { n: revision }),
    <>
      {hash === null ? t('No hash: an early version of the gateway made this run.') : <code>{hash}</code>}
      {valid === false && (
        <Problem text={t('The stored copy does not have this hash: it was changed outside the gateway.')} />
      )}
    </>,
  ];
}

function Kept({ session, run_id }: { session: Session; run_id: string }) {
  const names = useApprovers(session);
  const { data, problem } = usePolled(
    (signal) => session.client.call('runs_get', { run_id, include: 'pins' }, { signal }),
    RARELY_MS,
    [run_id],
  );
  if (data === null) return problem === null ? <p class="aside">{t('Loading')}</p> : <Problem text={problem} />;
  const rows = data.pins.flatMap((pin) => [
    ...(pin.object === 'custom_action' ? actionRows(pin) : []),
    ...(pin.object === 'review_configuration' ? reviewRows(pin, names) : []),
    hashRow(pin),
  ]);
  return rows.length === 0 ? <p>{t('The run keeps nothing.')}</p> : <Facts of={rows} />;
}

/** A closed part of the page of a task. It reads what the run keeps when a person opens it. */
export function Pins({ session, run_id }: { session: Session; run_id: string }) {
  const [opened, setOpened] = useState(false);
  return (
    <details open={opened} onToggle={(event) => setOpened(event.currentTarget.open)}>
      <summary>{t('As it was at the start')}</summary>
      {opened && (
        <>
          <p class="aside">{t('Later changes of the action, the skill and the settings do not change this run.')}</p>
          <Kept session={session} run_id={run_id} />
        </>
      )}
    </details>
  );
}
