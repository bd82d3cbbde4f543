/** The values and trouble codes of one machine, with the source of each value. */
import { useState } from 'preact/hooks';
import type { FieldSource } from '#contract/base/common.ts';
import { SIGNAL_NAMES, signalRow } from '#contract/base/signals.ts';
import { parameterName } from '#contract/fleet/fault-words.ts';
import type { Output } from '#contract/operations.ts';
import { moment, momentSeconds } from '#ui/format.ts';
import { officeText } from '#ui/languages/office.ts';
import { t, translated } from '#ui/languages/texts.ts';
import { lazyPage } from '#ui/office/base/lazy-page.tsx';
import { Empty } from '#ui/office/base/parts.tsx';
import { may, type Session } from '#ui/office/base/session.ts';
import { valueText } from './machine-cells.tsx';
import { chartNote } from './meter-words.ts';
import { shownValue, whyNever } from './value-age.ts';
import { ValueExpected } from './value-expected.tsx';
import { ValueLineage } from './value-lineage.tsx';

/** Its code is not part of the first page, because people open the history of a value seldom. */
const ValueHistory = lazyPage(() => import('./value-history.tsx').then((one) => one.ValueHistory), 'part');

type Equipment = Output<'equipment_list'>['data'][number];

function ValueSource({ source, session, now }: { source: FieldSource | undefined; session: Session; now: number }) {
  if (source === undefined) return <p class="aside">{t('The gateway has no source for this value.')}</p>;
  const zone = session.project.timezone;
  const when = (at: string | null) => (at === null ? t('unknown') : momentSeconds(Date.parse(at), now, zone));
  const rows: [name: string, text: string, isCode?: true][] = [
    [t('Measured'), when(source.observed_at)],
    [t('Received'), when(source.received_at)],
    [t('Device'), source.device_id ?? t('unknown'), true],
    [
      t('Bus and source'),
      source.bus === null
        ? t('not from a bus')
        : t('CAN {bus}, address {address}', { bus: source.bus, address: source.source_address ?? '?' }),
    ],
    [
      'J1939',
      source.pgn === null
        ? t('not from J1939')
        : t('PGN {pgn}, {parameter}, raw {raw}', {
            pgn: source.pgn,
            parameter: parameterText(source.spn),
            raw: source.raw ?? '?',
          }),
    ],
    [source.ref?.startsWith('art_') ? t('File and frame') : t('Journal'), source.ref ?? t('not kept'), true],
    [t('Run'), source.run_id ?? t('none'), true],
  ];
  return (
    <dl class="source">
      {rows.map(([name, text, isCode]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd class={isCode ? 'mono' : ''}>{text}</dd>
        </div>
      ))}
    </dl>
  );
}

/** True for a number that the gateway counts: no single frame contains it. */
function isCounted(data: Equipment, field: string): boolean {
  return data.meters.some(({ kind, basis }) => kind === field && basis === 'counted');
}

function ChartNote({ meter }: { meter: Equipment['meters'][number] | undefined }) {
  const note = chartNote(meter);
  return note === null ? null : <p class="aside">{note}</p>;
}

/** Lists the values that the machine has never sent, and the reason. */
function NeverSent({ data }: { data: Equipment }) {
  const labels = SIGNAL_NAMES.map((signal) => signalRow(signal))
    .filter(({ field }) => valueText(data, field) === null)
    .map(({ label }) => translated(label));
  if (labels.length === 0) return null;
  return (
    <details class="never-sent">
      <summary>{t('Never received: {n} value|Never received: {n} values', { n: labels.length })}</summary>
      <p class="aside">{labels.join(', ')}.</p>
      <p class="aside">{whyNever(data)}</p>
    </details>
  );
}

/** Shows the current values of a machine. A click on a value shows its history and its source. */
export function MachineValues(props: { data: Equipment; session: Session; now: number; onDone(): void }) {
  const { data, session, now } = props;
  const [open, setOpen] = useState<string | null>(null);
  const fields = SIGNAL_NAMES.map((signal) => ({ signal, ...signalRow(signal) })).filter(
    ({ field }) => valueText(data, field) !== null,
  );
  if (fields.length === 0)
    return (
      <Empty title={t('No values yet')}>
        {data.device_ids.length === 0
          ? t('No device is linked to this machine. Connect a logger below.')
          : t('The first value appears here when the device sends data.')}
      </Empty>
    );
  return (
    <>
      <ul class="numbers">
        {fields.map((row) => {
          const source = data.context.fields?.[row.field];
          const shown = shownValue(data, row.signal, valueText(data, row.field), now);
          return (
            <li key={row.field}>
              <button
                type="button"
                class="number"
                aria-expanded={open === row.field}
                onClick={() => setOpen(open === row.field ? null : row.field)}
              >
                <span>{translated(row.label)}</span>
                <b>{shown.text ?? '—'}</b>
                <span class={`age ${shown.freshness}`}>
                  {shown.freshness === 'ageing' ? t('{age}, overdue', { age: shown.age }) : shown.age}
                </span>
              </button>
              {open === row.field && (
                <>
                  <ValueHistory session={session} id={data.id} signal={row.signal} now={now} />
                  <ValueExpected
                    session={session}
                    machine={data}
                    signal={row.signal}
                    source={source}
                    onDone={props.onDone}
                  />
                  <ChartNote meter={data.meters.find((one) => one.kind === row.field)} />
                  <ValueSource source={source} session={session} now={now} />
                  {source?.ref != null && !isCounted(data, row.field) && may(session, 'lineage_get') && (
                    <ValueLineage session={session} refOf={source.ref} signal={row.signal} now={now} />
                  )}
                </>
              )}
            </li>
          );
        })}
      </ul>
      <NeverSent data={data} />
    </>
  );
}

/** Returns the number and the name of a parameter: "SPN 110 (Engine coolant temperature)". */
function parameterText(spn: number | null): string {
  if (spn === null) return t('SPN not known');
  const name = parameterName(spn);
  return name === null ? `SPN ${spn}` : t('SPN {spn} ({name})', { spn, name });
}

export function ActiveCodes({ data, session, now }: { data: Equipment; session: Session; now: number }) {
  if (data.dtcs === null || data.dtcs.length === 0) return null;
  return (
    <>
      <h3>{t('Active trouble codes')}</h3>
      <ul class="codes">
        {data.dtcs.map((dtc) => (
          <li key={`${dtc.bus} ${dtc.source_address} ${dtc.raw}`}>
            <b>{dtc.meaning == null ? t('Unknown code') : officeText(dtc.meaning)}</b>
            <small class="said-line">
              {t('SPN {spn} / FMI {fmi}, from address {address}, {times} times, since {time}', {
                spn: dtc.spn ?? '?',
                fmi: dtc.fmi,
                address: dtc.source_address,
                times: dtc.occurrence_count ?? '?',
                time: moment(Date.parse(dtc.since), now, session.project.timezone),
              })}
            </small>
          </li>
        ))}
      </ul>
    </>
  );
}
