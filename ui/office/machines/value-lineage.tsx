/** Shows how a value was decoded: the raw frame and each step from its bytes to the value. */
import { useState } from 'preact/hooks';
import type { SignalName } from '#contract/base/signals.ts';
import type { Output } from '#contract/operations.ts';
import { momentSeconds } from '#ui/format.ts';
import { said, t } from '#ui/languages/texts.ts';
import { errorText, type Session } from '#ui/office/base/session.ts';

type Lineage = Output<'lineage_get'>;

/**
 * A button that reads from the gateway how a value was decoded (its lineage), and then shows it. `refOf` names the message or the file with
 * the frame.
 */
export function ValueLineage(props: { session: Session; refOf: string; signal: SignalName; now: number }) {
  const { session, refOf, signal, now } = props;
  const [state, setState] = useState<{ ref: string; lineage: Lineage | null; problem: string | null } | null>(null);
  const read = async () => {
    setState({ ref: refOf, lineage: null, problem: null });
    try {
      const lineage = await session.client.call('lineage_get', { ref: refOf });
      setState({ ref: refOf, lineage, problem: null });
    } catch (error) {
      setState({ ref: refOf, lineage: null, problem: errorText(error) });
    }
  };
  return (
    <>
      <button type="button" class="quiet" onClick={read}>
        {t('Why this number?')}
      </button>
      {state !== null && (
        <div class="lineage" aria-live="polite">
          {state.problem !== null && <p class="aside">{state.problem}</p>}
          {state.problem === null && state.lineage === null && <p class="aside">{t('Searching the raw data…')}</p>}
          {state.lineage !== null && state.ref !== refOf && (
            <p class="aside">{t('This explains an earlier value. A newer one has arrived since.')}</p>
          )}
          {state.lineage !== null && (
            <Steps lineage={state.lineage} signal={signal} zone={session.project.timezone} now={now} />
          )}
        </div>
      )}
    </>
  );
}

function Steps(props: { lineage: Lineage; signal: SignalName; zone: string; now: number }) {
  const { lineage, signal, zone, now } = props;
  const { status, message, source, frame, point, values } = lineage;
  if (status !== 'found' || source === null) return <p class="aside">{message}</p>;
  const value = values.find((one) => one.signal === signal);
  const at = momentSeconds(Date.parse(frame?.observed_at ?? source.received_at), now, zone);
  return (
    <>
      {frame !== null && (
        <p>
          {said('Frame of CAN {bus}, {time}: {identifier} {data}', {
            bus: String(frame.bus),
            time: at,
            identifier: <code>{frame.identifier}</code>,
            data: <code>{frame.data}</code>,
          })}
        </p>
      )}
      {point !== null && (
        <p>
          {source.topic === 'meter' ? t('Reading of a person') : t('Telemetry point')}: <code>{point}</code>
        </p>
      )}
      {value === undefined ? (
        <p class="aside">
          {t('This frame has no value of the signal now. The DBC file or a setting may have changed.')}
        </p>
      ) : (
        <ol>
          {value.steps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
      )}
    </>
  );
}
