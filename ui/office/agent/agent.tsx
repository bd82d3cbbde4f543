/** The page of the agent: the model server of the project and how the agent may work, a prompt to try it, and the tasks with their transcripts. */
import { useState } from 'preact/hooks';
import { t, translated, type Word } from '#ui/languages/texts.ts';
import { parseNumber } from '#ui/office/base/numbers.ts';
import { Choice, Facts, Field, Form, Problem } from '#ui/office/base/parts.tsx';
import { NumberField, TextArea } from '#ui/office/base/picks.tsx';
import { may, type Session } from '#ui/office/base/session.ts';
import { usePolled, useSend } from '#ui/office/base/use.ts';
import { CustomActions } from './actions.tsx';
import { Approvers, approversText } from './approvers.tsx';
import { Learnings } from './learnings.tsx';
import { MODES, type Review, toolsOf, toolsText } from './review-text.ts';
import { TaskList } from './task-list.tsx';

type Kind = NonNullable<Review['provider']>['kind'];

/** Names of companies are the same in every language. */
const KINDS: Readonly<Record<Kind, Word | 'Anthropic'>> = {
  openai: 'Compatible with OpenAI (llama.cpp, Ollama, vLLM)',
  anthropic: 'Anthropic',
};
const WRITES: readonly (readonly [string, Word])[] = [
  ['read', 'Only read'],
  ['plan', 'Read, and plan changes without making them'],
  ['write', 'Read and make changes'],
];

/** The options of a choice, in the language of the page. */
const optionsOf = (words: readonly (readonly [string, Word])[]) =>
  words.map(([value, word]) => [value, t(word)] as const);

/** Prices and limits as a person types them. */
interface Costs {
  readonly input: string;
  readonly output: string;
  readonly cap: string;
  readonly tokens: string;
}

function costsOf({ provider, spend_cap_usd, token_budget }: Review): Costs {
  const text = (value: number | null | undefined): string => (value == null ? '' : String(value));
  return {
    input: text(provider?.input_usd_per_mtok),
    output: text(provider?.output_usd_per_mtok),
    cap: text(spend_cap_usd),
    tokens: text(token_budget),
  };
}

function CostFields({ costs, onCosts }: { costs: Costs; onCosts(costs: Costs): void }) {
  const set = (part: Partial<Costs>) => onCosts({ ...costs, ...part });
  return (
    <div class="form">
      <NumberField
        label={t('Price of a million input tokens')}
        value={costs.input}
        unit="USD"
        onValue={(input) => set({ input })}
      />
      <NumberField
        label={t('Price of a million output tokens')}
        value={costs.output}
        unit="USD"
        onValue={(output) => set({ output })}
        hint={t('Without both prices the cost of a run is not known. Another model or address empties them.')}
      />
      <NumberField
        label={t('Largest cost of one run')}
        value={costs.cap}
        unit="USD"
        onValue={(cap) => set({ cap })}
        hint={t('Empty: no limit. It needs both prices.')}
      />
      <NumberField
        label={t('Largest number of tokens of one run')}
        value={costs.tokens}
        onValue={(tokens) => set({ tokens })}
        hint={t('Input and output together, at least 1000. Empty: no limit.')}
      />
    </div>
  );
}

function Settings(props: { session: Session; review: Review; onSaved(): void }) {
  const { session, review, onSaved } = props;
  const { provider } = review;
  const [mode, setMode] = useState(review.mode);
  const [kind, setKind] = useState<Kind>(provider?.kind ?? 'openai');
  const [url, setUrl] = useState(provider?.url ?? '');
  const [model, setModel] = useState(provider?.model ?? '');
  const [key, setKey] = useState('');
  const [costs, setCosts] = useState<Costs>(() => costsOf(review));
  const [isLimited] = useState(Object.values(costs).some((text) => text !== ''));
  const [approvers, setApprovers] = useState<readonly string[]>(review.approvers);
  const [tools, setTools] = useState((review.allowed_tools ?? []).join('\n'));
  const { busy, problem, send } = useSend();
  /** Another model has other prices. */
  const other = () => setCosts((before) => ({ ...before, input: '', output: '' }));
  const save = () =>
    send(async () => {
      const given = {
        ...{ kind, url: url.trim(), model: model.trim() },
        input_usd_per_mtok: parseNumber(costs.input, t('Price of a million input tokens')),
        output_usd_per_mtok: parseNumber(costs.output, t('Price of a million output tokens')),
      };
      await session.client.call(
        'review_configuration_update',
        {
          id: review.project_id,
          mode,
          provider: given.url === '' ? null : given,
          spend_cap_usd: parseNumber(costs.cap, t('Largest cost of one run')),
          token_budget: parseNumber(costs.tokens, t('Largest number of tokens of one run')),
          approvers: [...approvers],
          allowed_tools: toolsOf(tools),
          ...(key === '' ? {} : { provider_key: key }),
        },
        { if_match: review.revision },
      );
      onSaved();
    });
  return (
    <Form onSend={save} busy={busy} action={t('Save')}>
      <Choice
        label={t('Model server')}
        value={kind}
        options={Object.entries(KINDS).map(([value, text]) => [value, translated(text)] as const)}
        onValue={(value) => {
          setKind(value as Kind);
          other();
        }}
      />
      <Field
        label={t('Address')}
        value={url}
        onValue={(value) => {
          setUrl(value);
          other();
        }}
        maxLength={500}
        hint={t('For example {url}. Empty: no model. Prompts and what the tools read are sent there.', {
          url: 'http://10.0.0.5:8080/v1',
        })}
      />
      <Field
        label={t('Model')}
        value={model}
        onValue={(value) => {
          setModel(value);
          other();
        }}
        maxLength={200}
        required={url !== ''}
      />
      <Field
        label={t('Key')}
        value={key}
        onValue={setKey}
        maxLength={1_000}
        secret
        hint={
          review.provider_key_set
            ? t('A key is stored. Enter another one to replace it. A new address removes it.')
            : t('Only if the server needs one. It is stored encrypted and never shown.')
        }
      />
      <Choice
        label={t('The agent')}
        value={mode}
        options={optionsOf(MODES)}
        onValue={(value) => setMode(value as Review['mode'])}
      />
      <Approvers session={session} values={approvers} onValues={setApprovers} />
      <details open={review.allowed_tools !== null}>
        <summary>{t('Allowed tools')}</summary>
        <TextArea
          label={t('Names of tools')}
          value={tools}
          onValue={setTools}
          maxLength={30_000}
          hint={t('One name a line. A run may use these tools and no others. Empty: those of the default list.')}
        />
      </details>
      <details open={isLimited}>
        <summary>{t('Prices and limits')}</summary>
        <CostFields costs={costs} onCosts={setCosts} />
      </details>
      <Problem text={problem} />
    </Form>
  );
}

/** The settings, for a person who may not change them. */
function ReadOnly({ review }: { review: Review }) {
  const { provider, mode, approvers, allowed_tools } = review;
  const word = MODES.find(([name]) => name === mode)?.[1];
  return (
    <Facts
      of={[
        [
          t('Model'),
          provider === null
            ? t('No model is set.')
            : t('{model} at {url}.', { model: provider.model, url: provider.url }),
        ],
        [t('The agent'), word === undefined ? mode : t(word)],
        [t('Approvers'), approversText(approvers, null)],
        [t('Allowed tools'), toolsText(allowed_tools)],
      ]}
    />
  );
}

function Prompt({ session, onStarted }: { session: Session; onStarted(id: string): void }) {
  const [prompt, setPrompt] = useState<string>(t('Which machines are there?'));
  const [writes, setWrites] = useState('read');
  const { busy, problem, send } = useSend();
  const start = () =>
    send(async () => {
      const how = { read_only: writes === 'read', plan_only: writes === 'plan' };
      onStarted((await session.client.call('tasks_create', { prompt, ...how })).id);
    });
  return (
    <Form onSend={start} busy={busy} action={t('Try it')}>
      <Field label={t('Prompt')} value={prompt} onValue={setPrompt} maxLength={20_000} required />
      <Choice label={t('It may')} value={writes} options={optionsOf(WRITES)} onValue={setWrites} />
      <Problem text={problem} />
    </Form>
  );
}

/** The page of the agent. `at` is the id of the open task, or empty. */
export function AgentPage({ session, at }: { session: Session; at: string }) {
  const { id } = session.project;
  const isAdmin = may(session, 'review_configuration_update');
  const choose = (task: string) => {
    location.hash = `agent/${task}`;
  };
  const { data, problem, reload } = usePolled(
    (signal) => session.client.call('review_configuration_get', { id }, { signal }),
    30_000,
    [session, id],
  );
  return (
    <>
      <h1>{t('Agent')}</h1>
      <p>
        {t(
          'A model of your own can answer questions and do work with the tools of this gateway. Without a model the site works as before.',
        )}
      </p>
      <Problem text={problem} />
      {data !== null && (
        <section class="panel-box">
          <h2>{t('Model')}</h2>
          {isAdmin ? (
            <Settings key={data.revision} session={session} review={data} onSaved={reload} />
          ) : (
            <ReadOnly review={data} />
          )}
        </section>
      )}
      {may(session, 'tasks_create') && (
        <section class="panel-box">
          <h2>{t('Ask the agent')}</h2>
          <Prompt session={session} onStarted={choose} />
        </section>
      )}
      <CustomActions session={session} />
      {may(session, 'learnings_list') && <Learnings session={session} />}
      <TaskList session={session} chosen={at === '' ? null : at} onChosen={choose} />
    </>
  );
}
