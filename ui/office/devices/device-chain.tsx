/** The diagnosis of a device: each step from its connection to its values, the first step that fails, and the remedy. */

import type { Output } from '#contract/operations.ts';
import { duration } from '#ui/format.ts';
import { said, t, type Word } from '#ui/languages/texts.ts';
import { Problem, Told } from '#ui/office/base/parts.tsx';
import { may, type Session } from '#ui/office/base/session.ts';
import { useNow, usePolled } from '#ui/office/base/use.ts';

type Diagnosis = Output<'devices_diagnosis'>;
type Step = Diagnosis['steps'][number];
type Found = Pick<Diagnosis, 'steps' | 'stopped_at' | 'summary'>;

const WORDS: Readonly<Record<Step['state'], Word>> = {
  ok: 'works',
  broken: 'does not work',
  waiting: 'waiting',
  unknown: 'not checked yet',
};

/** Shows the state of a diagnosis step as a shape, so that people who do not see colours can read it. */
function StepMark({ state }: { state: Step['state'] }) {
  return (
    <svg viewBox="0 0 16 16" aria-hidden="true">
      {state === 'ok' && <path d="M2.500 8.500 6.500 12.500 13.500 3.500" />}
      {state === 'broken' && <path d="M3 3 13 13M13 3 3 13" />}
      {state === 'waiting' && <circle cx="8" cy="8" r="5.500" stroke-dasharray="3 2.400" />}
      {state === 'unknown' && <path d="M3 8H13" />}
    </svg>
  );
}

/** Shows the result of a device's diagnosis in one sentence. */
function Summary({ found }: { found: Found }) {
  const stop = found.steps.find(({ step }) => step === found.stopped_at);
  const tone = stop === undefined ? 'arrived' : stop.state === 'broken' ? 'problem' : 'waiting';
  return (
    <p class={tone} role="status">
      {stop === undefined ? (
        <Told text={found.summary} />
      ) : (
        said('Data stops at this step: {title}.', { title: <Told text={stop.title} /> })
      )}
    </p>
  );
}

function StepRow({ step, now, first }: { step: Step; now: number; first: boolean }) {
  return (
    <li class={first ? `${step.state} first` : step.state} aria-current={first ? 'step' : undefined}>
      <StepMark state={step.state} />
      <div>
        <p>
          <b>
            <Told text={step.title} />
          </b>{' '}
          <span class="aside">{t(WORDS[step.state])}</span>
          {step.since !== null && (
            <span class="aside">{`, ${t('{age} ago', { age: duration(now - Date.parse(step.since)) })}`}</span>
          )}
        </p>
        <p>
          <Told text={step.detail} words={step.detail_words} />
        </p>
        {step.remedy !== null && (
          <p class="remedy">
            {said('What to do: {remedy}', { remedy: <Told text={step.remedy} words={step.remedy_words} /> })}
          </p>
        )}
      </div>
    </li>
  );
}

/** Polls the diagnosis of a device, every two seconds by default. */
function useDiagnosis(session: Session, id: string | null, everyMs = 2_000) {
  return usePolled(
    async (signal) =>
      id === null || !may(session, 'devices_diagnosis')
        ? null
        : session.client.call('devices_diagnosis', { id }, { signal }),
    everyMs,
    [session, id],
  );
}

/** Shows the steps of a diagnosis, with its result in one sentence. */
export function ChainSteps({ found, now }: { found: Found; now: number }) {
  return (
    <>
      <Summary found={found} />
      <ol class="chain">
        {found.steps.map((step) => (
          <StepRow key={step.step} step={step} now={now} first={step.step === found.stopped_at} />
        ))}
      </ol>
    </>
  );
}

/** Shows all steps of the diagnosis of a device, updated while the page is open. */
export function DeviceChain({ session, id }: { session: Session; id: string }) {
  const { data, problem } = useDiagnosis(session, id);
  const now = useNow(session.now);
  return (
    <section class="panel-box" aria-label={t('Data path')}>
      <h2>{t('Data path')}</h2>
      <Problem text={problem} />
      {data !== null && data.device_id === id && <ChainSteps found={data} now={now} />}
    </section>
  );
}

const STOPS: Readonly<Record<Step['step'], readonly [broken: Word, waiting: Word]>> = {
  connection: ['No connection', 'Not transmitting yet'],
  key: ['Login refused', 'Not transmitting yet'],
  topic: ['Wrong topic', 'Sends no data yet'],
  frames: ['Unreadable data', 'Sends no data now'],
  link: ['Not linked', 'Not linked'],
  decoded: ['No usable values', 'No live values yet'],
};
/** Largest number of devices of a list for which the page reads the diagnosis. */
const MOST_STOPS = 20;

/** Returns, by device id, a short text for the diagnosis step at which the data of the device stops. */
export function useStops(session: Session, ids: readonly string[]): ReadonlyMap<string, string> {
  const few = may(session, 'devices_diagnosis') ? ids.slice(0, MOST_STOPS) : [];
  const { data } = usePolled(
    async (signal) => {
      const found = await Promise.all(few.map((id) => session.client.call('devices_diagnosis', { id }, { signal })));
      return new Map(
        found.flatMap(({ device_id, steps, stopped_at }) => {
          const stop = steps.find(({ step }) => step === stopped_at);
          return stop === undefined ? [] : [[device_id, t(STOPS[stop.step][stop.state === 'broken' ? 0 : 1])] as const];
        }),
      );
    },
    5_000,
    [session, few.join()],
  );
  return data ?? NO_STOPS;
}

const NO_STOPS: ReadonlyMap<string, string> = new Map();

/** Shows the step at which the data of a device stops, with a link to the device. Shows nothing while data arrives. */
export function ChainStop({ session, id }: { session: Session; id: string }) {
  const { data } = useDiagnosis(session, id, 5_000);
  const stop = data?.device_id === id ? data.steps.find(({ step }) => step === data.stopped_at) : undefined;
  if (stop === undefined) return null;
  // The step `decoded` may have a remedy even if it has not failed, because its values are old. Show this remedy in addition to the step at
  // which the data stops.
  const old = data?.steps.find((one) => one.step === 'decoded' && one !== stop && one.remedy !== null);
  return (
    <div class={stop.state === 'broken' ? 'problem chain-stop' : 'waiting'} role="status">
      <p>
        <strong>
          <Told text={stop.title} />:
        </strong>{' '}
        <Told text={stop.detail} words={stop.detail_words} />
      </p>
      {stop.remedy !== null && (
        <p>{said('What to do: {remedy}', { remedy: <Told text={stop.remedy} words={stop.remedy_words} /> })}</p>
      )}
      {old !== undefined && (
        <p>
          <Told text={old.detail} words={old.detail_words} /> <Told text={old.remedy ?? ''} words={old.remedy_words} />
        </p>
      )}
      <p>
        <a href={`#devices/${id}`}>{t('Show all steps of the device')}</a>
      </p>
    </div>
  );
}
