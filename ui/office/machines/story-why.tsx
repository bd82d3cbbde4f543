/** Why a value of a machine is missing or old: the steps from its device to the value, checked while the panel is open. */
import { type SignalName, signalRow } from '#contract/base/signals.ts';
import type { Output } from '#contract/operations.ts';
import { duration, moment } from '#ui/format.ts';
import { inside, t, translated } from '#ui/languages/texts.ts';
import { OnlyAtSite } from '#ui/office/base/at-site.tsx';
import { Problem } from '#ui/office/base/parts.tsx';
import { may, type Session } from '#ui/office/base/session.ts';
import { useNow, usePolled } from '#ui/office/base/use.ts';
import { ChainSteps } from '#ui/office/devices/device-chain.tsx';
import { valueText } from './machine-cells.tsx';

const CHECK_MS = 2_000;

export function StoryWhy(props: {
  session: Session;
  machine: Output<'equipment_list'>['data'][number];
  signal: SignalName;
  onClose(): void;
}) {
  const { session, machine, signal } = props;
  const { data, problem } = usePolled(
    async (abort) =>
      may(session, 'equipment_diagnosis')
        ? session.client.call('equipment_diagnosis', { id: machine.id, signal }, { signal: abort })
        : null,
    CHECK_MS,
    [machine.id, signal],
  );
  const now = useNow(session.now);
  const { label, field } = signalRow(signal);
  const found = data?.signal === signal ? data : null;
  const as_of = found?.as_of == null ? null : Date.parse(found.as_of);
  return (
    <section class="story-chain" aria-label={t('Why is {label} grey?', { label: inside(translated(label)) })}>
      <div class="head">
        <h2>{t('Why is {label} grey?', { label: inside(translated(label)) })}</h2>
        <button type="button" class="quiet" onClick={props.onClose}>
          {t('Close')}
        </button>
      </div>
      <Problem text={problem} />
      {found === null ? (
        problem === null &&
        (session.role === 'cloud' ? (
          <OnlyAtSite session={session} what={t('The steps from the machine to this value')} />
        ) : (
          <p class="aside">{t('Checking…')}</p>
        ))
      ) : (
        <>
          <p class="aside">
            {as_of === null
              ? t('This machine never sent it.')
              : t('No data for {age}. Last value {value} at {time}.', {
                  age: duration(now - as_of),
                  value: valueText(machine, field) ?? t('not known'),
                  time: moment(as_of, now, session.project.timezone),
                })}
          </p>
          <ChainSteps found={found} now={now} />
          <p class="aside" role="status">
            {found.stopped_at === null
              ? t('The value arrives again.')
              : t('Checked {age} ago. It is checked every two seconds.', {
                  age: duration(now - Date.parse(found.checked_at)),
                })}
          </p>
          {found.device_id !== null && (
            <p>
              <a href={`#devices/${found.device_id}`}>{t('Open the page of the device')}</a>
            </p>
          )}
        </>
      )}
    </section>
  );
}
