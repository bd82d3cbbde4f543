/** Machines: what people say, what the machine says, how fresh that is, and where each number came from. */

import { useEffect, useRef, useState } from 'preact/hooks';
import type { FieldSource } from '#contract/base/common.ts';
import { freshness, SIGNAL_NAMES, signalRow } from '#contract/base/signals.ts';
import { parameterName } from '#contract/fleet/fault-words.ts';
import type { Output } from '#contract/operations.ts';
import type { MachineRow } from '#contract/site/project-live.ts';
import { duration, moment, momentSeconds } from '#ui/format.ts';
import { Cut, Empty, Field, Form, Problem } from '#ui/office/base/parts.tsx';
import { useMachineRows } from '#ui/office/base/rows.ts';
import { onceKey, type Session } from '#ui/office/base/session.ts';
import { useNow, usePolled, useSend } from '#ui/office/base/use.ts';
import { ConnectLogger } from '#ui/office/devices/connect-logger.tsx';
import { ChainStop, useStops } from '#ui/office/devices/device-chain.tsx';
import { LiveMark } from '#ui/tiles/marks.tsx';
import { kindOf, kindWords, MACHINE_KINDS } from './machine-kinds.ts';
import { MachineStatus, SAID } from './machine-status.tsx';
import { MachineLeads, MachineWork, useMachineWork } from './machine-work.tsx';

type Equipment = Output<'equipment_get'>;

const LIVE = { running: 'Running', idle: 'Idle', off: 'Off', unknown: 'Unknown' } as const;
/** The numbers of the table; the rest stands in the detail. */
const KEY_FIELDS = ['engine_hours', 'fuel_remaining_pct', 'fuel_rate_lph'] as const;

function rowOf(field: string) {
  const name = SIGNAL_NAMES.find((one) => signalRow(one).field === field);
  return name === undefined ? null : signalRow(name);
}

/** A field's value as text with its unit; null when unknown. */
function shown(machine: Equipment | MachineRow, field: string): string | null {
  const value = (machine as unknown as Record<string, unknown>)[field];
  const row = rowOf(field);
  if (typeof value !== 'number' || row === null) return null;
  const digits = value.toFixed(row.decimals).replace(/\B(?<!\.\d*)(?=(\d{3})+(?!\d))/g, '\u2009');
  return `${digits} ${row.unit}`;
}

function Age({ at, now, every }: { at: string | null; now: number; every: number }) {
  if (at === null) return <span class="age never">never</span>;
  const ms = now - Date.parse(at);
  return <span class={`age ${freshness('gauge', every, ms / 1000)}`}>{duration(ms)} ago</span>;
}

/** A number of the table: a gauge that is no news any more is gone, whatever else the machine sends; what is old says so. */
function Figure({ machine, field, now }: { machine: MachineRow; field: string; now: number }) {
  const row = rowOf(field);
  const text = shown(machine, field);
  const at = machine.context.fields?.[field]?.observed_at ?? null;
  if (row === null || text === null || at === null) return <td class="figure">—</td>;
  const ms = now - Date.parse(at);
  const judged = freshness(row.kind, row.interval_s, ms / 1000);
  if (judged === 'none') return <td class="figure">—</td>;
  if (judged !== 'stale') return <td class="figure">{text}</td>;
  return (
    <td class="figure">
      <span class="age stale">
        {text}, {duration(ms)} ago
      </span>
    </td>
  );
}

/** How many trouble codes were active when the machine last said so; never heard is not zero. */
function Codes({ counts, now }: { counts: Equipment['dtc_counts']; now: number }) {
  if (counts === null) return <td class="figure">—</td>;
  const ms = now - Date.parse(counts.observed_at);
  const judged = freshness('level', 1, ms / 1000);
  return (
    <td class="figure">
      {judged === 'stale' ? (
        <span class="age stale">
          {counts.active}, {duration(ms)} ago
        </span>
      ) : (
        counts.active
      )}
    </td>
  );
}

function Source({ source, session, now }: { source: FieldSource | undefined; session: Session; now: number }) {
  if (source === undefined) return <p class="aside">No provenance was kept for this number.</p>;
  const zone = session.project.timezone;
  const when = (at: string | null) => (at === null ? 'unknown' : momentSeconds(Date.parse(at), now, zone));
  const rows: [string, string][] = [
    ['Measured', when(source.observed_at)],
    ['Received', when(source.received_at)],
    ['Device', source.device_id ?? 'unknown'],
    [
      'Bus and source',
      source.bus === null ? 'not from a bus' : `CAN ${source.bus}, address ${source.source_address ?? '?'}`,
    ],
    [
      'J1939',
      source.pgn === null
        ? 'not from J1939'
        : `PGN ${source.pgn}, ${sayParameter(source.spn)}, raw ${source.raw ?? '?'}`,
    ],
    [source.ref?.startsWith('art_') ? 'File and frame' : 'Journal', source.ref ?? 'not kept'],
    ['Run', source.run_id ?? 'none'],
  ];
  return (
    <dl class="source">
      {rows.map(([name, text]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd
            class={name === 'Journal' || name === 'File and frame' || name === 'Run' || name === 'Device' ? 'mono' : ''}
          >
            {text}
          </dd>
        </div>
      ))}
    </dl>
  );
}

type Work = ReturnType<typeof useMachineWork>;

/** Where the detail stands below the list, a machine that was chosen is brought into view. */
const STACKED = '(max-width: 75rem)';

function Numbers({ data, session, now }: { data: Equipment; session: Session; now: number }) {
  const [open, setOpen] = useState<string | null>(null);
  const fields = SIGNAL_NAMES.map((name) => signalRow(name)).filter((row) => shown(data, row.field) !== null);
  if (fields.length === 0)
    return (
      <Empty title="No numbers yet">
        {data.device_ids.length === 0
          ? 'No device is linked to this machine.'
          : 'The first value shows here within a second.'}
      </Empty>
    );
  return (
    <ul class="numbers">
      {fields.map((row) => {
        const source = data.context.fields?.[row.field];
        const age = source?.observed_at == null ? null : (now - Date.parse(source.observed_at)) / 1000;
        const judged = freshness(row.kind, row.interval_s, age);
        return (
          <li key={row.field}>
            <button
              type="button"
              class="number"
              aria-expanded={open === row.field}
              onClick={() => setOpen(open === row.field ? null : row.field)}
            >
              <span>{row.label}</span>
              <b>{shown(data, row.field)}</b>
              <span class={`age ${judged}`}>{age === null ? '' : `${duration(age * 1000)} ago`}</span>
            </button>
            {open === row.field && <Source source={source} session={session} now={now} />}
          </li>
        );
      })}
    </ul>
  );
}

/** "SPN 110 (Engine coolant temperature)" */
function sayParameter(spn: number | null): string {
  if (spn === null) return 'SPN not known';
  const name = parameterName(spn);
  return name === null ? `SPN ${spn}` : `SPN ${spn} (${name})`;
}

function ActiveCodes({ data, session, now }: { data: Equipment; session: Session; now: number }) {
  if (data.dtcs === null || data.dtcs.length === 0) return null;
  return (
    <>
      <h3>Active trouble codes</h3>
      <ul class="codes">
        {data.dtcs.map((dtc) => (
          <li key={`${dtc.bus} ${dtc.source_address} ${dtc.raw}`}>
            <b>{dtc.meaning ?? 'No words for this code'}</b>
            <small class="said-line">
              SPN {dtc.spn ?? '?'} / FMI {dtc.fmi}, from address {dtc.source_address}, {dtc.occurrence_count ?? '?'}{' '}
              times, since {moment(Date.parse(dtc.since), now, session.project.timezone)}
            </small>
          </li>
        ))}
      </ul>
    </>
  );
}

function Detail(props: {
  id: string;
  session: Session;
  work: Work;
  /** It was added now: the next step is its logger. */
  isNew: boolean;
  onChange(): void;
  onClose(): void;
}) {
  const { session } = props;
  const { data, problem, reload } = usePolled(() => session.client.call('equipment_get', { id: props.id }), 3_000, [
    props.id,
  ]);
  const [connecting, setConnecting] = useState(props.isNew);
  const panel = useRef<HTMLElement>(null);
  const now = useNow(session.now);
  useEffect(() => {
    if (matchMedia(STACKED).matches) panel.current?.scrollIntoView({ block: 'start' });
  }, [data === null]);
  const changed = () => {
    reload();
    props.onChange();
  };
  const about =
    data === null
      ? []
      : [
          data.name === data.unit_number ? null : data.name,
          data.kind === null ? null : kindWords(data.kind),
          data.oem_name,
          data.model,
          data.serial_number,
        ].filter((part) => part !== null && part !== '');
  return (
    <section ref={panel} class="detail-panel" aria-label={data?.unit_number ?? 'Machine'}>
      {data === null ? (
        <Problem text={problem} />
      ) : (
        <>
          <div class="head">
            <div>
              <h2>{data.unit_number}</h2>
              <p class="aside">{about.join(' · ')}</p>
            </div>
            <button type="button" class="quiet" onClick={props.onClose}>
              Close
            </button>
          </div>
          <Problem text={problem} />
          <MachineStatus session={session} machine={data} onDone={changed} />
          <MachineLeads id={data.id} work={props.work} />
          {!connecting && data.device_ids.map((id) => <ChainStop key={id} session={session} id={id} />)}
          <Numbers data={data} session={session} now={now} />
          {data.status !== 'decommissioned' && (data.device_ids.length === 0 || connecting) && (
            <ConnectLogger
              session={session}
              machine={data}
              open={connecting}
              onOpen={() => setConnecting(true)}
              onDone={() => {
                setConnecting(false);
                changed();
              }}
            />
          )}
          <ActiveCodes data={data} session={session} now={now} />
        </>
      )}
    </section>
  );
}

function AddMachine({ session, onDone }: { session: Session; onDone(id: string): void }) {
  const [unit, setUnit] = useState('');
  const [name, setName] = useState('');
  const [kind, setKind] = useState('');
  const { busy, problem, send } = useSend();
  return (
    <Form
      action="Add the machine"
      busy={busy}
      onSend={() =>
        send(async () => {
          const input = {
            unit_number: unit.trim(),
            ...(name.trim() && { name: name.trim() }),
            ...(kindOf(kind) && { kind: kindOf(kind) }),
          };
          const made = await session.client.call('equipment_create', input, { idempotency_key: onceKey() });
          onDone(made.id);
        })
      }
    >
      <Field
        label="Unit number"
        value={unit}
        onValue={setUnit}
        required
        autoFocus
        maxLength={40}
        hint="As the crew says it: HT-03"
      />
      <Field label="Name" value={name} onValue={setName} />
      <Field
        label="Kind"
        value={kind}
        onValue={setKind}
        maxLength={60}
        offers={MACHINE_KINDS.map(kindWords)}
        hint="Choose one, or type another"
      />
      <Problem text={problem} />
    </Form>
  );
}

/** `chosen` is the machine that the page opens with. */
export function Machines({ session, ...props }: { session: Session; chosen: string | null }) {
  const list = useMachineRows(session);
  const work = useMachineWork(session);
  const [chosen, setChosen] = useState(props.chosen);
  const [added, setAdded] = useState<string | null>(null);
  const [adding, setAdding] = useState(false);
  const now = useNow(session.now);
  const machines = list.rows ?? [];
  const stops = useStops(
    session,
    machines.filter((one) => one.last_live_data_at === null).flatMap(({ device_ids }) => device_ids.slice(0, 1)),
  );
  return (
    <>
      <div class="head">
        <h1>Machines</h1>
        <button type="button" onClick={() => setAdding(!adding)} aria-expanded={adding}>
          {adding ? 'Close' : 'Add a machine'}
        </button>
      </div>
      <Problem text={list.problem} />
      {adding && (
        <div class="panel-box">
          <AddMachine
            session={session}
            onDone={(id) => {
              setAdding(false);
              setChosen(id);
              setAdded(id);
              list.reload();
            }}
          />
        </div>
      )}
      {list.rows !== null && machines.length === 0 && !adding && (
        <Empty title="No machines yet">Add the first one, then provision a device for it.</Empty>
      )}
      {machines.length > 0 && (
        <div class="split">
          <div class="table">
            <table>
              <thead>
                <tr>
                  <th scope="col">Unit</th>
                  <th scope="col">People say</th>
                  <th scope="col">Machine says</th>
                  <th scope="col">Data</th>
                  <th scope="col" class="figure">
                    Hours
                  </th>
                  <th scope="col" class="figure">
                    Fuel
                  </th>
                  <th scope="col" class="figure">
                    Rate
                  </th>
                  <th scope="col" class="figure">
                    Codes
                  </th>
                </tr>
              </thead>
              <tbody>
                {machines.map((one) => (
                  <tr key={one.id} aria-selected={chosen === one.id}>
                    <th scope="row">
                      <button type="button" class="link" onClick={() => setChosen(chosen === one.id ? null : one.id)}>
                        {one.unit_number}
                      </button>
                      <MachineWork id={one.id} work={work} />
                    </th>
                    <td>
                      <span class={`said ${one.status}`}>{SAID[one.status]}</span>
                    </td>
                    <td>
                      <span class="live">
                        <LiveMark live={one.live_status} />
                        {one.last_live_data_at === null && one.device_ids.length > 0
                          ? (stops.get(one.device_ids[0] ?? '') ?? 'No live data')
                          : LIVE[one.live_status]}
                      </span>
                    </td>
                    <td>
                      {one.recorded ? (
                        <span class="age stale">not live</span>
                      ) : (
                        <Age at={one.last_live_data_at} now={now} every={5} />
                      )}
                    </td>
                    {KEY_FIELDS.map((field) => (
                      <Figure key={field} machine={one} field={field} now={now} />
                    ))}
                    <Codes counts={one.dtc_counts} now={now} />
                  </tr>
                ))}
              </tbody>
            </table>
            <Cut
              shown={machines.length}
              {...(list.total !== undefined && { total: list.total })}
              more={list.more}
              what="machines"
            />
          </div>
          {chosen !== null && (
            <Detail
              key={chosen}
              id={chosen}
              session={session}
              work={work}
              isNew={chosen === added}
              onChange={list.reload}
              onClose={() => setChosen(null)}
            />
          )}
        </div>
      )}
    </>
  );
}
