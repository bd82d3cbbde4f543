/** The page of the agent: the model server of the project and how the agent may work, a prompt to try it, and the tasks with their transcripts. */
import { useState } from 'preact/hooks';
import type { Output } from '#contract/operations.ts';
import { Choice, Field, Form, Problem } from '#ui/office/base/parts.tsx';
import { may, type Session } from '#ui/office/base/session.ts';
import { usePolled, useSend } from '#ui/office/base/use.ts';
import { TaskList } from './task-list.tsx';

type Review = Output<'review_configuration_get'>;
type Kind = NonNullable<Review['provider']>['kind'];

const KINDS: readonly (readonly [Kind, string])[] = [
  ['openai', 'OpenAI-compatible (llama.cpp, Ollama, vLLM)'],
  ['anthropic', 'Anthropic'],
];
const WRITES: readonly (readonly [string, string])[] = [
  ['read', 'Only read'],
  ['plan', 'Read, and plan changes without making them'],
  ['write', 'Read and make changes'],
];
const MODES: readonly (readonly [Review['mode'], string])[] = [
  ['auto', 'Works at once'],
  ['review', 'Waits for an approval'],
  ['paused', 'Paused'],
];

function Settings(props: { session: Session; review: Review; onSaved(): void }) {
  const { session, review, onSaved } = props;
  const { provider } = review;
  const [mode, setMode] = useState(review.mode);
  const [kind, setKind] = useState<Kind>(provider?.kind ?? 'openai');
  const [url, setUrl] = useState(provider?.url ?? '');
  const [model, setModel] = useState(provider?.model ?? '');
  const [key, setKey] = useState('');
  const { busy, problem, send } = useSend();
  const save = () =>
    send(async () => {
      const given = { ...(provider ?? {}), kind, url: url.trim(), model: model.trim() };
      await session.client.call(
        'review_configuration_update',
        {
          id: review.project_id,
          mode,
          provider: given.url === '' ? null : given,
          ...(key === '' ? {} : { provider_key: key }),
        },
        { if_match: review.revision },
      );
      onSaved();
    });
  return (
    <Form onSend={save} busy={busy} action="Save">
      <Choice label="Model server" value={kind} options={KINDS} onValue={(value) => setKind(value as Kind)} />
      <Field
        label="Address"
        value={url}
        onValue={setUrl}
        maxLength={500}
        hint="For example http://10.0.0.5:8080/v1. Empty: no model. Prompts and what the tools read are sent there."
      />
      <Field label="Model" value={model} onValue={setModel} maxLength={200} required={url !== ''} />
      <Field
        label="Key"
        value={key}
        onValue={setKey}
        maxLength={1_000}
        secret
        hint={
          review.provider_key_set
            ? 'A key is stored. Enter another one to replace it. A new address removes it.'
            : 'Only if the server needs one. It is stored encrypted and never shown.'
        }
      />
      <Choice label="The agent" value={mode} options={MODES} onValue={(value) => setMode(value as Review['mode'])} />
      <Problem text={problem} />
    </Form>
  );
}

function Prompt({ session, onStarted }: { session: Session; onStarted(id: string): void }) {
  const [prompt, setPrompt] = useState('Which machines are there?');
  const [writes, setWrites] = useState('read');
  const { busy, problem, send } = useSend();
  const start = () =>
    send(async () => {
      const how = { read_only: writes === 'read', plan_only: writes === 'plan' };
      onStarted((await session.client.call('tasks_create', { prompt, ...how })).id);
    });
  return (
    <Form onSend={start} busy={busy} action="Try it">
      <Field label="Prompt" value={prompt} onValue={setPrompt} maxLength={20_000} required />
      <Choice label="It may" value={writes} options={WRITES} onValue={setWrites} />
      <Problem text={problem} />
    </Form>
  );
}

export function AgentPage({ session }: { session: Session }) {
  const { id } = session.project;
  const isAdmin = may(session, 'review_configuration_update');
  const [chosen, setChosen] = useState<string | null>(null);
  const { data, problem, reload } = usePolled(
    (signal) => session.client.call('review_configuration_get', { id }, { signal }),
    30_000,
    [session, id],
  );
  return (
    <>
      <h1>Agent</h1>
      <p>
        A model of your own can answer questions and do work with the tools of this gateway. Without a model the site
        works as before.
      </p>
      <Problem text={problem} />
      {data !== null && (
        <section class="panel-box">
          <h2>Model</h2>
          {isAdmin ? (
            <Settings key={data.revision} session={session} review={data} onSaved={reload} />
          ) : (
            <p>{data.provider === null ? 'No model is set.' : `${data.provider.model} at ${data.provider.url}.`}</p>
          )}
        </section>
      )}
      {may(session, 'tasks_create') && (
        <section class="panel-box">
          <h2>Ask the agent</h2>
          <Prompt session={session} onStarted={setChosen} />
        </section>
      )}
      <TaskList session={session} chosen={chosen} onChosen={setChosen} />
    </>
  );
}
