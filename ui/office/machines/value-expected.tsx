/** How often a value of a machine is expected, where this interval comes from, and the form in which a person sets it. */
import { useState } from 'preact/hooks';
import type { FieldSource } from '#contract/base/common.ts';
import type { IntervalBasis } from '#contract/base/freshness.ts';
import type { SignalName } from '#contract/base/signals.ts';
import type { Output } from '#contract/operations.ts';
import { duration } from '#ui/format.ts';
import { t, type Word } from '#ui/languages/texts.ts';
import { kindText } from '#ui/office/base/machine-kinds.ts';
import { parseNumber } from '#ui/office/base/numbers.ts';
import { Choice, Field, Form, Problem } from '#ui/office/base/parts.tsx';
import { may, newIdempotencyKey, type Session } from '#ui/office/base/session.ts';
import { usePolled, useSend } from '#ui/office/base/use.ts';

type Equipment = Pick<Output<'equipment_get'>, 'id' | 'unit_number' | 'kind'>;
type SetInterval = Output<'expected_intervals_list'>['data'][number];

const BASIS_WORDS: Readonly<Record<IntervalBasis, Word>> = {
  learned: 'learned from the device',
  set: 'set by a person',
  default: 'usual for this signal',
};
const READ_MS = 60_000;

interface Props {
  readonly session: Session;
  readonly machine: Equipment;
  readonly signal: SignalName;
  readonly source: FieldSource | undefined;
  onDone(): void;
}

/** Shows when the next value is expected and from which age the value is stale, and lets a person change it. */
export function ValueExpected({ session, machine, signal, source, onDone }: Props) {
  const { client } = session;
  const [open, setOpen] = useState(false);
  const { data, problem, reload } = usePolled(
    async () => {
      const ofMachine = await client.call('expected_intervals_list', { equipment_id: machine.id, signal });
      if (machine.kind === null) return ofMachine.data;
      const ofKind = await client.call('expected_intervals_list', { kind: machine.kind, signal });
      return [...ofMachine.data, ...ofKind.data];
    },
    READ_MS,
    [machine.id, machine.kind, signal],
    ['expected_interval'],
  );
  const changed = () => {
    reload();
    onDone();
  };
  const { expected_interval_s, interval_basis = 'default', stale_after_s } = source ?? {};
  return (
    <section class="expected" aria-label={t('Expected interval')}>
      {expected_interval_s !== undefined && stale_after_s !== undefined && (
        <p class="aside">
          {t('A value is expected every {interval} ({basis}). It is stale after {age} without a new one.', {
            interval: duration(expected_interval_s * 1_000),
            basis: t(BASIS_WORDS[interval_basis]),
            age: duration(stale_after_s * 1_000),
          })}
        </p>
      )}
      <Problem text={problem} />
      {data?.map((one) => (
        <SetRow key={one.id} session={session} machine={machine} one={one} onDone={changed} />
      ))}
      {open ? (
        <IntervalForm
          session={session}
          machine={machine}
          signal={signal}
          onDone={() => {
            setOpen(false);
            changed();
          }}
          onCancel={() => setOpen(false)}
        />
      ) : (
        may(session, 'expected_intervals_set') && (
          <button type="button" class="quiet" onClick={() => setOpen(true)}>
            {t('Set the expected interval')}
          </button>
        )
      )}
    </section>
  );
}

/** Shows one set interval, with the button that removes it. */
function SetRow(props: { session: Session; machine: Equipment; one: SetInterval; onDone(): void }) {
  const { session, machine, one } = props;
  const { busy, problem, send } = useSend();
  const of =
    one.kind === null ? machine.unit_number : t('all machines of the kind {kind}', { kind: kindText(one.kind) });
  const remove = () =>
    send(async () => {
      await session.client.call('expected_intervals_delete', { id: one.id });
      props.onDone();
    });
  return (
    <>
      <p class="row">
        <span>{t('Set for {of}: {age}', { of, age: duration(one.interval_s * 1_000) })}</span>
        {may(session, 'expected_intervals_delete') && (
          <button type="button" class="quiet" disabled={busy} onClick={remove}>
            {t('Remove')}
          </button>
        )}
      </p>
      <Problem text={problem} />
    </>
  );
}

function IntervalForm(props: Omit<Props, 'source'> & { onCancel(): void }) {
  const { session, machine, signal } = props;
  const [scope, setScope] = useState<string>('machine');
  const [seconds, setSeconds] = useState('');
  const { busy, problem, send } = useSend();
  const save = () =>
    send(async () => {
      const interval_s = parseNumber(seconds, t('The interval'));
      if (interval_s === null || interval_s < 1 || interval_s > 86_400)
        throw new Error(t('Enter a number of seconds from 1 to 86400.'));
      const of = scope === 'kind' && machine.kind !== null ? { kind: machine.kind } : { equipment_id: machine.id };
      const input = { ...of, signal, interval_s };
      await session.client.call('expected_intervals_set', input, { idempotency_key: newIdempotencyKey() });
      props.onDone();
    });
  return (
    <section class="nested" aria-label={t('Set the expected interval')}>
      <p class="aside">
        {t(
          'Enter the longest normal time between two values. A value is fresh for 3 such intervals (at least 5 s), and stale after 10.',
        )}
      </p>
      <Form action={t('Save the interval')} busy={busy} onSend={save}>
        <Field label={t('Seconds between two values')} value={seconds} onValue={setSeconds} required autoFocus />
        {machine.kind !== null && (
          <Choice
            label={t('Applies to')}
            value={scope}
            options={[
              ['machine', machine.unit_number],
              ['kind', t('All machines of the kind {kind}', { kind: kindText(machine.kind) })],
            ]}
            onValue={setScope}
          />
        )}
        <Problem text={problem} />
      </Form>
      <button type="button" class="quiet" onClick={props.onCancel}>
        {t('Cancel')}
      </button>
    </section>
  );
}
