/** The meters of one machine: total, basis, segments, and the form in which a person gives a reading. */
import { useState } from 'preact/hooks';
import { signalRow } from '#contract/base/signals.ts';
import { METER_SIGNALS } from '#contract/fleet/meter.ts';
import type { Output } from '#contract/operations.ts';
import { moment } from '#ui/format.ts';
import { officeText } from '#ui/languages/office.ts';
import { decimals, t, translated } from '#ui/languages/texts.ts';
import { parseNumber } from '#ui/office/base/numbers.ts';
import { Choice, Field, Form, Problem } from '#ui/office/base/parts.tsx';
import { may, newIdempotencyKey, type Session } from '#ui/office/base/session.ts';
import { usePolled, useSend } from '#ui/office/base/use.ts';
import { valueText } from './machine-cells.tsx';
import { BASIS_TEXT, CAUSE_TEXT, meterNumber, offsetText, sourceText } from './meter-words.ts';

type Equipment = Output<'equipment_get'>;
type MeterDetail = Output<'equipment_meters'>['data'][number];
type Meter = Equipment['meters'][number];
interface Where {
  readonly session: Session;
  readonly now: number;
}

const METER_ROWS = METER_SIGNALS.map((name) => signalRow(name));

/** The segments are read again after this number of milliseconds. */
const READ_MS = 10_000;

/** Shows the meters of a machine, and the form for a reading. */
export function MachineMeters({ machine, session, now, onDone }: Where & { machine: Equipment; onDone(): void }) {
  const { data, problem, reload } = usePolled(
    () => session.client.call('equipment_meters', { id: machine.id }),
    READ_MS,
    [machine.id],
  );
  const [reading, setReading] = useState<string | null>(null);
  const { meters } = machine;
  const mayRead = may(session, 'equipment_meters_reconcile');
  return (
    <section class="meters" aria-label={t('Meters')}>
      <h3>{t('Meters')}</h3>
      <Problem text={problem} />
      {meters.length === 0 && (
        <p class="aside">
          {t('No meter has a reading yet.')}
          {mayRead && ` ${t('Enter the reading of the machine, or connect a logger that receives it.')}`}
        </p>
      )}
      {meters.map((meter) => (
        <MeterRow
          key={meter.kind}
          machine={machine}
          meter={meter}
          detail={data?.data.find(({ kind }) => kind === meter.kind)}
          session={session}
          now={now}
          onRead={mayRead ? () => setReading(meter.kind) : null}
        />
      ))}
      <Utilization machine={machine} />
      {reading === null ? (
        mayRead &&
        machine.status !== 'decommissioned' && (
          <button type="button" class="quiet" onClick={() => setReading(meters[0]?.kind ?? 'engine_hours')}>
            {t('Enter a reading')}
          </button>
        )
      ) : (
        <ReadingForm
          key={reading}
          id={machine.id}
          kind={reading}
          meters={meters}
          session={session}
          onDone={() => {
            setReading(null);
            reload();
            onDone();
          }}
          onCancel={() => setReading(null)}
        />
      )}
    </section>
  );
}

interface RowProps extends Where {
  readonly machine: Equipment;
  readonly meter: Meter;
  readonly detail: MeterDetail | undefined;
  /** Null for a role that may not enter a reading. */
  readonly onRead: (() => void) | null;
}

function MeterRow({ machine, meter, detail, session, now, onRead }: RowProps) {
  const { kind, basis, since, observed_at, needs_review } = meter;
  const [open, setOpen] = useState(false);
  const when = (at: string) => moment(Date.parse(at), now, session.project.timezone);
  const count = detail?.segments.length ?? 0;
  return (
    <div class="meter">
      <div class="row">
        <span>
          <b>{translated(METER_ROWS.find(({ field }) => field === kind)?.label ?? kind)}</b> {valueText(machine, kind)}
          <small>
            {t('{basis}, since {since}; last reading {last}', {
              basis: t(BASIS_TEXT[basis]),
              since: when(since),
              last: when(observed_at),
            })}
          </small>
        </span>
        {count > 0 && (
          <button type="button" class="quiet" aria-expanded={open} onClick={() => setOpen(!open)}>
            {open ? t('Hide segments') : t('{n} segment|{n} segments', { n: count })}
          </button>
        )}
      </div>
      {needs_review !== null && (
        <p class="meter-review" role="note">
          <b>{t('Needs review.')}</b> {officeText(needs_review)}{' '}
          {onRead !== null && (
            <button type="button" class="quiet" onClick={onRead}>
              {t('Enter the reading')}
            </button>
          )}
        </p>
      )}
      {open && detail !== undefined && <Segments meter={detail} when={when} />}
    </div>
  );
}

function Segments({ meter, when }: { meter: MeterDetail; when(at: string): string }) {
  const { unit, reading, offset, counted } = meter;
  return (
    <>
      <p class="aside">
        {t('Total = reading {reading} + offset {offset}. The total never falls, unless a person corrects it.', {
          reading: meterNumber(reading, unit),
          offset: offsetText(offset, unit),
        })}
      </p>
      {counted !== null && (
        <p class="aside">
          {t(
            'The gateway counted {counted} with the engine turning in {known} of known engine speed since {since}. Gaps of more than a minute are not counted.',
            {
              counted: meterNumber(counted.hours, 'h'),
              known: meterNumber(counted.known_hours, 'h'),
              since: when(counted.from),
            },
          )}
        </p>
      )}
      <ul class="segments">
        {meter.segments.toReversed().map((one) => (
          <li key={one.id}>
            <b>
              {one.id}. {t(CAUSE_TEXT[one.opened_because])}
            </b>
            <dl class="source">
              {segmentRows(one, unit, when).map(([name, text]) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{text}</dd>
                </div>
              ))}
            </dl>
          </li>
        ))}
      </ul>
    </>
  );
}

function segmentRows(
  one: MeterDetail['segments'][number],
  unit: string,
  when: (at: string) => string,
): (readonly [name: string, text: string])[] {
  const { basis, first, last, offset, by, reason, merged } = one;
  return [
    [t('Source'), `${t(BASIS_TEXT[basis])}: ${sourceText(one)}`],
    [t('First reading'), `${meterNumber(first.value, unit)}, ${when(first.observed_at)}`],
    [t('Last reading'), `${meterNumber(last.value, unit)}, ${when(last.observed_at)}`],
    [t('Offset'), offsetText(offset, unit)],
    ...(reason === null ? [] : [[t('Reason'), `${by?.name ?? t('A person')}: ${reason}`] as const]),
    ...(merged > 1 ? [[t('Merged'), t('{n} old segments', { n: merged })] as const] : []),
  ];
}

/** Shows the utilization of the current shift with the minutes from which it is computed. */
function Utilization({ machine }: { machine: Equipment }) {
  const calc = machine.calc?.utilization;
  if (machine.utilization_pct === null || calc == null) return null;
  const { working, idle, off, down, standby, unknown } = calc.minutes;
  return (
    <p class="aside">
      {t(
        'Utilization in the shift {shift}: {percent} % = working {working} min of {known} known min (idle {idle}, off {off}, down {down}, standby {standby}); {unknown} min are unknown and do not count.',
        {
          shift: calc.shift,
          percent: decimals(machine.utilization_pct.toFixed(1)),
          working,
          known: working + idle + off + down + standby,
          idle,
          off,
          down,
          standby,
          unknown,
        },
      )}
    </p>
  );
}

interface FormProps {
  readonly id: string;
  readonly kind: string;
  readonly meters: readonly Meter[];
  readonly session: Session;
  onDone(): void;
  onCancel(): void;
}

function ReadingForm({ id, kind: given, meters, session, onDone, onCancel }: FormProps) {
  const [kind, setKind] = useState(given);
  const [value, setValue] = useState('');
  const [reason, setReason] = useState('');
  const { busy, problem, send } = useSend();
  const row = METER_ROWS.find(({ field }) => field === kind);
  const meter = meters.find((one) => one.kind === kind);
  const save = () =>
    send(async () => {
      const number = parseNumber(value, t('The reading'));
      if (number === null) throw new Error(t('Enter the reading of the machine.'));
      const input = { id, kind, value: number, reason: reason.trim() };
      await session.client.call('equipment_meters_reconcile', input, { idempotency_key: newIdempotencyKey() });
      onDone();
    });
  return (
    <section class="nested" aria-label={t('Enter a reading')}>
      <h3>{t('Enter a reading')}</h3>
      <p class="aside">
        {t(
          'Read the number on the machine now. The total of the machine becomes this number and continues from it. The control unit is not changed, and the log keeps your name, the reason and the total before.',
        )}
      </p>
      <Form action={t('Save the reading')} busy={busy} onSend={save}>
        <Choice
          label={t('Meter')}
          value={kind}
          options={METER_ROWS.map(({ field, label, unit }) => [field, `${translated(label)} (${unit})`] as const)}
          onValue={setKind}
        />
        <Field
          label={t('Reading in {unit}', { unit: row?.unit ?? '' })}
          value={value}
          onValue={setValue}
          required
          autoFocus
          hint={
            meter === undefined
              ? t('This meter has no reading yet')
              : t('Total now: {total}', { total: meterNumber(meter.value, meter.unit) })
          }
        />
        <Field
          label={t('Reason')}
          value={reason}
          onValue={setReason}
          required
          maxLength={500}
          hint={t('For example: new control unit fitted, read in the cab')}
        />
        <Problem text={problem} />
      </Form>
      <button type="button" class="quiet" onClick={onCancel}>
        {t('Cancel')}
      </button>
    </section>
  );
}
