/** From the device to its numbers, step by step: what works, the first step that does not, and what to do. */
import type { Output } from '#contract/operations.ts';
import { duration } from '#ui/format.ts';
import { Problem } from '#ui/office/base/parts.tsx';
import type { Session } from '#ui/office/base/session.ts';
import { useNow, usePolled } from '#ui/office/base/use.ts';

type Diagnosis = Output<'devices_diagnosis'>;
type Step = Diagnosis['steps'][number];

const WORDS: Readonly<Record<Step['state'], string>> = {
  ok: 'works',
  broken: 'does not work',
  waiting: 'waits',
  unknown: 'not known yet',
};

/** The state as a shape, which tells it without colour. */
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

/** The sentence about the whole chain, as a status. */
function Summary({ found }: { found: Diagnosis }) {
  const stop = found.steps.find(({ step }) => step === found.stopped_at);
  const tone = stop === undefined ? 'arrived' : stop.state === 'broken' ? 'problem' : 'waiting';
  return (
    <p class={tone} role="status">
      {stop === undefined ? found.summary : `It stops at this step: ${stop.title}.`}
    </p>
  );
}

function Row({ step, now, first }: { step: Step; now: number; first: boolean }) {
  return (
    <li class={first ? `${step.state} first` : step.state} aria-current={first ? 'step' : undefined}>
      <StepMark state={step.state} />
      <div>
        <p>
          <b>{step.title}</b> <span class="aside">{WORDS[step.state]}</span>
          {step.since !== null && <span class="aside">, {duration(now - Date.parse(step.since))} ago</span>}
        </p>
        <p>{step.detail}</p>
        {step.remedy !== null && <p>What to do: {step.remedy}</p>}
      </div>
    </li>
  );
}

/** The diagnosis of a device, read again every two seconds. */
function useDiagnosis(session: Session, id: string | null, everyMs = 2_000) {
  return usePolled(
    async (signal) => (id === null ? null : session.client.call('devices_diagnosis', { id }, { signal })),
    everyMs,
    [session, id],
  );
}

/** The whole chain of a device, live. */
export function DeviceChain({ session, id }: { session: Session; id: string }) {
  const { data, problem } = useDiagnosis(session, id);
  const now = useNow(session.now);
  return (
    <section class="panel-box" aria-label="From the device to its numbers">
      <h2>From the device to its numbers</h2>
      <Problem text={problem} />
      {data !== null && data.device_id === id && (
        <>
          <Summary found={data} />
          <ol class="chain">
            {data.steps.map((step) => (
              <Row key={step.step} step={step} now={now} first={step.step === data.stopped_at} />
            ))}
          </ol>
        </>
      )}
    </section>
  );
}

const STOPS: Readonly<Record<Step['step'], readonly [broken: string, waiting: string]>> = {
  connection: ['Silent', 'Not transmitting yet'],
  key: ['Login refused', 'Not transmitting yet'],
  topic: ['Wrong topic', 'Sends no data yet'],
  frames: ['Data cannot be read', 'Sends no data now'],
  link: ['On no machine', 'On no machine'],
  decoded: ['No usable values', 'Nothing live yet'],
};
/** Devices whose chain is read for a list. */
const MOST_STOPS = 20;

/** Where the chains of these devices stop, in a few words, by device. */
export function useStops(session: Session, ids: readonly string[]): ReadonlyMap<string, string> {
  const few = ids.slice(0, MOST_STOPS);
  const { data } = usePolled(
    async (signal) => {
      const found = await Promise.all(few.map((id) => session.client.call('devices_diagnosis', { id }, { signal })));
      return new Map(
        found.flatMap(({ device_id, steps, stopped_at }) => {
          const stop = steps.find(({ step }) => step === stopped_at);
          return stop === undefined ? [] : [[device_id, STOPS[stop.step][stop.state === 'broken' ? 0 : 1]] as const];
        }),
      );
    },
    5_000,
    [session, few.join()],
  );
  return data ?? NO_STOPS;
}

const NO_STOPS: ReadonlyMap<string, string> = new Map();

/** Where the chain of a device stops, in one sentence with the way to its page; nothing while it works. */
export function ChainStop({ session, id }: { session: Session; id: string }) {
  const { data } = useDiagnosis(session, id, 5_000);
  const stop = data?.device_id === id ? data.steps.find(({ step }) => step === data.stopped_at) : undefined;
  if (stop === undefined) return null;
  // Old values need their own word, also when the device has gone since.
  const old = data?.steps.find((one) => one.step === 'decoded' && one !== stop && one.remedy !== null);
  return (
    <div class={stop.state === 'broken' ? 'problem trouble' : 'waiting'} role="status">
      <p>
        <strong>{stop.title}:</strong> {stop.detail}
      </p>
      {stop.remedy !== null && <p>What to do: {stop.remedy}</p>}
      {old !== undefined && (
        <p>
          {old.detail} {old.remedy}
        </p>
      )}
      <p>
        <a href={`#devices/${id}`}>Every step, on the page of its device</a>
      </p>
    </div>
  );
}
