/** Loggers that the gateway hears and that are on no machine: what their buses say, and the link or the new machine that a person confirms. */
import { useRef, useState } from 'preact/hooks';
import type { HeardDevices, Setup } from '#contract/site/setup.ts';
import { duration } from '#ui/format.ts';
import { said, t } from '#ui/languages/texts.ts';
import { AsIs, Facts, Field, Form, Problem } from '#ui/office/base/parts.tsx';
import { may, newIdempotencyKey, type Session } from '#ui/office/base/session.ts';
import { useNow, usePolled, useSend } from '#ui/office/base/use.ts';

const EVERY_MS = 15_000;

type Gap = Setup['missing_requirements'][number];
interface HeardGap extends Gap {
  readonly heard: HeardDevices;
}

const hasHeard = (gap: Gap): gap is HeardGap => gap.heard !== undefined;
const keyOf = ({ devices }: HeardDevices) =>
  devices
    .map(({ id }) => id)
    .toSorted()
    .join();
const namesOf = ({ devices }: HeardDevices) => devices.map(({ name }) => name).join(', ');

/** The fields of a new machine that the gateway heard. */
function formOf({ proposal }: HeardGap) {
  const [given] = proposal?.operation === 'equipment_create' ? proposal.objects : [];
  const text = (field: string) => (typeof given?.[field] === 'string' ? given[field] : undefined);
  const [unit_number, pin, serial_number] = [text('unit_number'), text('pin'), text('serial_number')];
  const [oem_name, model] = [text('oem_name'), text('model')];
  return {
    unit_number: unit_number ?? '',
    fields: {
      ...(pin !== undefined && { pin }),
      ...(serial_number !== undefined && { serial_number }),
      ...(oem_name !== undefined && { oem_name }),
      ...(model !== undefined && { model }),
    },
  };
}

/** Links the devices of a row to a machine; throws if the gateway refuses one of them. */
async function link(session: Session, { devices }: HeardDevices, equipment_id: string): Promise<void> {
  const links = devices.map(({ serial, device_id }) => ({
    ...{ serial: serial ?? device_id, equipment_id, source: 'ui' as const },
  }));
  const { data } = await session.client.call('telemetry_devices_link', { links });
  const failed = data.find(({ error }) => error !== null);
  if (failed?.error) throw new Error(failed.error.message);
}

function Unit({ unit: { unit, maker, model, serial } }: { unit: HeardDevices['units'][number] }) {
  const more = [maker, model].filter((one) => one !== null).join(', ');
  return (
    <li>
      <AsIs>{[unit, more].filter((one) => one !== null && one !== '').join(': ')}</AsIs>
      {serial !== null && <>, {said('serial {serial}', { serial: <span class="mono">{serial}</span> })}</>}
    </li>
  );
}

function WhatWasHeard({ heard, now }: { heard: HeardDevices; now: number }) {
  const { vins, units, unit_count, last_heard_at } = heard;
  const more = unit_count - units.length;
  return (
    <Facts
      of={[
        ...(vins.length === 0 ? [] : [[t('VIN'), <span class="mono">{vins.join(', ')}</span>] as const]),
        [
          t('Control units'),
          units.length === 0 ? (
            t('None has said what it is.')
          ) : (
            <ul class="heard-units">
              {units.map((unit, i) => (
                <Unit key={i} unit={unit} />
              ))}
              {more > 0 && <li>{t('{n} more|{n} more', { n: more })}</li>}
            </ul>
          ),
        ],
        ...(last_heard_at === null
          ? []
          : [[t('Last heard'), t('{age} ago', { age: duration(now - Date.parse(last_heard_at)) })] as const]),
      ]}
    />
  );
}

/** The form that makes the machine of a logger. A machine that is made stays made if the link fails; then only the link is tried again. */
function MakeMachine({ gap, session, onDone }: { gap: HeardGap; session: Session; onDone(unit: string): void }) {
  const { unit_number, fields } = formOf(gap);
  const [unit, setUnit] = useState(unit_number);
  const [made, setMade] = useState<{ readonly id: string; readonly unit_number: string } | null>(null);
  const key = useRef(newIdempotencyKey());
  const { busy, problem, send } = useSend();
  const mono = (text: string) => <span class="mono">{text}</span>;
  return (
    <Form
      action={made === null ? t('Make this machine') : t('Link to {unit}', { unit: made.unit_number })}
      busy={busy}
      onSend={() =>
        send(async () => {
          const input = { unit_number: unit.trim(), ...fields };
          const machine =
            made ?? (await session.client.call('equipment_create', input, { idempotency_key: key.current }));
          setMade(machine);
          await link(session, gap.heard, machine.id);
          onDone(machine.unit_number);
        })
      }
    >
      {made === null ? (
        <Field
          label={t('Unit number')}
          value={unit}
          onValue={(value) => {
            setUnit(value);
            key.current = newIdempotencyKey();
          }}
          required
          autoFocus
          maxLength={40}
          hint={t('The name that the crew uses, such as HT-03')}
        />
      ) : (
        <p>{t('The machine {unit} is made, and the logger is not linked yet.', { unit: made.unit_number })}</p>
      )}
      {Object.keys(fields).length > 0 && (
        <Facts
          of={[
            ...(fields.pin === undefined ? [] : [[t('VIN'), mono(fields.pin)] as const]),
            ...(fields.oem_name === undefined ? [] : [[t('Make'), mono(fields.oem_name)] as const]),
            ...(fields.model === undefined ? [] : [[t('Model'), mono(fields.model)] as const]),
            ...(fields.serial_number === undefined ? [] : [[t('Serial number'), mono(fields.serial_number)] as const]),
          ]}
        />
      )}
      <Problem text={problem} />
    </Form>
  );
}

function HeardRow(props: { gap: HeardGap; session: Session; now: number; onDone(unit: string): void }) {
  const { gap, session } = props;
  const { heard } = gap;
  const [making, setMaking] = useState(false);
  const { busy, problem, send } = useSend();
  const isClear = gap.proposal?.operation === 'telemetry_devices_link';
  const mayMake = heard.machines.length === 0 && heard.decommissioned === null && may(session, 'equipment_create');
  return (
    <li aria-label={namesOf(heard)}>
      <h3>
        {heard.devices.map(({ id, name }, i) => (
          <span key={id}>
            {i > 0 && ', '}
            <a href={`#devices/${id}`}>{name}</a>
          </span>
        ))}
      </h3>
      {heard.devices.length > 1 && (
        <p class="aside">{t('These loggers hear the same VIN: they are on one machine.')}</p>
      )}
      <WhatWasHeard heard={heard} now={props.now} />
      {heard.decommissioned !== null && (
        <p>
          {t(
            'The retired machine {unit} has this VIN or serial number. If it is in use again, change its status first.',
            {
              unit: heard.decommissioned,
            },
          )}
        </p>
      )}
      {!isClear && heard.machines.length > 0 && <p>{t('More than one machine is possible, or it is not certain.')}</p>}
      {may(session, 'telemetry_devices_link') && (
        <div class="actions">
          {heard.machines.map(({ equipment_id, unit_number }) => (
            <button
              key={equipment_id}
              type="button"
              class={isClear ? 'primary' : ''}
              disabled={busy}
              onClick={() =>
                send(async () => {
                  await link(session, heard, equipment_id);
                  props.onDone(unit_number);
                })
              }
            >
              {t('Link to {unit}', { unit: unit_number })}
              <span class="hidden">: {namesOf(heard)}</span>
            </button>
          ))}
          {mayMake && (
            <button type="button" aria-expanded={making} onClick={() => setMaking(!making)}>
              {making ? t('Close') : t('Make this machine')}
              <span class="hidden">: {namesOf(heard)}</span>
            </button>
          )}
          <a href="#devices">{t('Choose from all machines')}</a>
        </div>
      )}
      <Problem text={problem} />
      {making && mayMake && <MakeMachine gap={gap} session={session} onDone={props.onDone} />}
    </li>
  );
}

/** The section of loggers without a machine. It is not shown if there are none. */
export function HeardLoggers({ session }: { session: Session }) {
  const project_id = session.project.id;
  const { data, reload } = usePolled(
    (signal) => session.client.call('projects_setup_status', { project_id }, { signal }),
    EVERY_MS,
    [project_id],
  );
  const now = useNow(session.now);
  const [done, setDone] = useState<readonly { readonly key: string; readonly names: string; readonly unit: string }[]>(
    [],
  );
  const title = useRef<HTMLHeadingElement>(null);
  const linked = new Set(done.map(({ key }) => key));
  const gaps = (data?.missing_requirements ?? []).filter(hasHeard).filter(({ heard }) => !linked.has(keyOf(heard)));
  if (gaps.length === 0 && done.length === 0) return null;
  return (
    <section class="panel-box" aria-label={t('Loggers without a machine')}>
      <h2 ref={title} tabIndex={-1}>
        {t('Loggers without a machine')}
      </h2>
      {gaps.length > 0 && (
        <p>
          {t(
            'The gateway hears these loggers and does not know on which machine they are. It links and makes nothing before you press a button.',
          )}
        </p>
      )}
      <div role="status">
        {done.map(({ key, names, unit }) => (
          <p key={key} class="arrived">
            {t('{names}: linked to {unit}.', { names, unit })}
          </p>
        ))}
      </div>
      <ul class="plan-list heard-list">
        {gaps.map((gap) => (
          <HeardRow
            key={keyOf(gap.heard)}
            gap={gap}
            session={session}
            now={now}
            onDone={(unit) => {
              setDone((before) => [...before, { key: keyOf(gap.heard), names: namesOf(gap.heard), unit }]);
              // The button that had the focus is gone.
              title.current?.focus();
              reload();
            }}
          />
        ))}
      </ul>
    </section>
  );
}
