/** The bus monitor: what is heard on the buses of a device, as it comes in. */
import { useState } from 'preact/hooks';
import type { Output } from '#contract/operations.ts';
import { duration } from '#ui/format.ts';
import { readAll } from '#ui/office/base/lists.ts';
import { Choice, Empty, Problem, TruncationNote } from '#ui/office/base/parts.tsx';
import type { Session } from '#ui/office/base/session.ts';
import { useNow, usePolled, useSend } from '#ui/office/base/use.ts';

type Census = Output<'devices_bus_get'>;
type Bus = Census['buses'][number];
type Ecu = Census['ecus'][number];
type Group = Census['groups'][number];
type Codes = NonNullable<Ecu['active_codes']>;
type Device = Output<'devices_get'>;

/** Silence after which what stands here is no news any more: slow groups come every 30 s, counters every minute. */
const STALE_MS = 90_000;
/** Rates are of ten seconds; without traffic for longer they are nobody's. */
const RATE_MS = 30_000;

const RATES = [250_000, 500_000, 1_000_000] as const;
const SHOWN = 200;

const hex = (value: number, digits: number) => value.toString(16).toUpperCase().padStart(digits, '0');
const thousands = (value: number) => String(value).replace(/\B(?=(\d{3})+$)/g, '\u2009');
const kbit = (rate: number) => `${thousands(rate / 1000)} kbit/s`;
const since = (at: string | null, now: number) => (at === null ? Number.POSITIVE_INFINITY : now - Date.parse(at));

function Age({ at, now }: { at: string | null; now: number }) {
  if (at === null) return <span class="age never">never</span>;
  const ms = since(at, now);
  return <span class={ms > STALE_MS ? 'age stale' : 'age'}>{duration(ms)} ago</span>;
}

function BitRate({ bus, device, session, onDone }: { bus: Bus; device: Device; session: Session; onDone(): void }) {
  const { busy, problem, send } = useSend();
  const known = bus.bit_rate_source === 'estimate' && bus.bit_rate !== null ? `${kbit(bus.bit_rate)}, estimated` : null;
  return (
    <>
      <Choice
        label="Bit rate"
        value={bus.bit_rate_source === 'setting' ? String(bus.bit_rate) : ''}
        disabled={busy}
        options={[['', known ?? 'Not known'], ...RATES.map((rate) => [String(rate), kbit(rate)] as const)]}
        onValue={(value) =>
          send(async () => {
            const { settings } = await session.client.call('devices_get', { id: device.id });
            const before = Array.isArray(settings.bus_bit_rates) ? settings.bus_bit_rates : [];
            const others = before.filter((one: { readonly bus?: unknown }) => one.bus !== bus.bus);
            const rates = value === '' ? others : [...others, { bus: bus.bus, bit_rate: Number(value) }];
            await session.client.call('devices_settings_update', { id: device.id, settings: { bus_bit_rates: rates } });
            onDone();
          })
        }
      />
      <Problem text={problem} />
    </>
  );
}

function BusCard(props: { bus: Bus; device: Device; session: Session; fresh: boolean; now: number; onDone(): void }) {
  const { bus, fresh, now } = props;
  const load = fresh ? bus.load_pct : null;
  const counts: [string, string][] = [
    ['Frames a second', fresh && bus.frames_per_s !== null ? thousands(Math.round(bus.frames_per_s)) : '—'],
    ['Frames', thousands(bus.frames)],
    ...(bus.standard_frames > 0 ? [['11-bit, not J1939', thousands(bus.standard_frames)] as [string, string]] : []),
    ...(bus.fd_frames > 0 ? [['CAN FD', thousands(bus.fd_frames)] as [string, string]] : []),
    ...(bus.remote_frames > 0 ? [['Remote', thousands(bus.remote_frames)] as [string, string]] : []),
  ];
  return (
    <section class="panel-box bus">
      <div class="row">
        <h2>CAN {bus.bus}</h2>
        <Age at={bus.last_heard_at} now={now} />
      </div>
      <div class="load">
        <progress aria-label={`Load of CAN ${bus.bus}`} value={load ?? 0} max={100} />
        <b>{load === null ? '—' : `${load.toFixed(1)} %`}</b>
        <small>{load === null ? (fresh ? 'Load: set the bit rate' : 'No load: the bus is silent') : 'Load'}</small>
      </div>
      <dl class="facts">
        {counts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
        {bus.error_frames > 0 && (
          <div>
            <dt>Error frames</dt>
            <dd>
              <span class="said down">{thousands(bus.error_frames)}</span> <Age at={bus.last_error_at} now={now} />
            </dd>
          </div>
        )}
      </dl>
      <BitRate bus={bus} device={props.device} session={props.session} onDone={props.onDone} />
    </section>
  );
}

/** Who a unit is: what it says of itself first, what its address usually means last. */
function who(ecu: Ecu): { title: string; more: string } {
  const { name, component, usual_name } = ecu;
  const fromName = name === null ? [] : [name.function_name ?? `Function ${name.function}`];
  const maker = component?.make ?? name?.manufacturer ?? (name === null ? null : `maker ${name.manufacturer_code}`);
  const title = fromName[0] ?? usual_name ?? 'Unknown unit';
  const model = [
    component?.model,
    component?.serial === null ? null : component?.serial && `serial ${component.serial}`,
  ];
  return { title, more: [maker, ...model].filter((part) => part != null && part !== '').join(', ') };
}

const LAMPS = { red_stop: 'stop', amber: 'amber', protect: 'protect', mil: 'MIL' } as const;

function lampsOf({ lamps }: Codes): string {
  return (Object.keys(LAMPS) as (keyof typeof LAMPS)[])
    .filter((lamp) => lamps[lamp].state === 'on')
    .map((lamp) => `${LAMPS[lamp]}${lamps[lamp].flash === 'steady' ? '' : ` ${lamps[lamp].flash} flash`}`)
    .join(', ');
}

/** How many codes were active when the unit last said so; it says so every second. */
function CodeCount({ codes, now }: { codes: Codes | null; now: number }) {
  if (codes === null) return <>—</>;
  const count = codes.count === 0 ? 'none' : `${codes.count} active`;
  const ms = since(codes.observed_at, now);
  if (ms > STALE_MS) return <span class="age stale">{`${count}, ${duration(ms)} ago`}</span>;
  const lamps = lampsOf(codes);
  return (
    <>
      {count}
      {lamps !== '' && <small class="said-line">{lamps}</small>}
    </>
  );
}

function Ecus({ ecus, now }: { ecus: readonly Ecu[]; now: number }) {
  return (
    <div class="table">
      <table>
        <thead>
          <tr>
            <th scope="col">Unit</th>
            <th scope="col">Address</th>
            <th scope="col">Last heard</th>
            <th scope="col" class="figure">
              Groups
            </th>
            <th scope="col" class="figure">
              Frames
            </th>
            <th scope="col">Codes</th>
            <th scope="col">Says of itself</th>
          </tr>
        </thead>
        <tbody>
          {ecus.map((one) => {
            const { title, more } = who(one);
            const codes = one.active_codes;
            return (
              <tr key={`${one.bus}:${one.source_address ?? one.name?.raw}`}>
                <th scope="row">
                  {title}
                  {more !== '' && <small>{more}</small>}
                </th>
                <td>
                  CAN {one.bus}, {one.source_address === null ? 'no address' : `${one.source_address} `}
                  {one.source_address !== null && <small class="mono">0x{hex(one.source_address, 2)}</small>}
                  {one.name !== null && one.name.previous_addresses.length > 0 && (
                    <small>, was {one.name.previous_addresses.at(-1)}</small>
                  )}
                </td>
                <td>
                  <Age at={one.last_heard_at} now={now} />
                </td>
                <td class="figure">{one.groups}</td>
                <td class="figure">{thousands(one.frames)}</td>
                <td>
                  <CodeCount codes={codes} now={now} />
                </td>
                <td>
                  {[one.vin, one.name === null ? null : `NAME ${one.name.raw}`, one.software?.join(', ')]
                    .filter((part) => part != null)
                    .map((part) => (
                      <small key={part} class="mono said-line">
                        {part}
                      </small>
                    ))}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

const METHODS = [
  ['', 'Not known'],
  ['3', 'Version 3'],
  ['2', 'Version 2'],
  ['1', 'Version 1'],
] as const;

/** Says how the codes of a unit are laid out, which their bytes do not tell. */
function Conversion({ ecu, device, session, onDone }: { ecu: Ecu; device: Device; session: Session; onDone(): void }) {
  const { busy, problem, send } = useSend();
  return (
    <>
      <Choice
        label={`How ${who(ecu).title}, address ${ecu.source_address ?? 'none'}, writes its codes (its maker knows)`}
        value=""
        disabled={busy}
        options={METHODS}
        onValue={(value) =>
          send(async () => {
            const { settings } = await session.client.call('devices_get', { id: device.id });
            const rules = Array.isArray(settings.dtc_conversion) ? settings.dtc_conversion : [];
            const rule = { bus: ecu.bus, source_address: ecu.source_address, method: Number(value) };
            const others = rules.filter(
              (one: { readonly bus?: unknown; readonly source_address?: unknown }) =>
                one.bus !== rule.bus || one.source_address !== rule.source_address,
            );
            const dtc_conversion = [rule, ...others];
            await session.client.call('devices_settings_update', { id: device.id, settings: { dtc_conversion } });
            onDone();
          })
        }
      />
      <Problem text={problem} />
    </>
  );
}

interface CodeListProps {
  readonly ecus: readonly Ecu[];
  readonly device: Device;
  readonly session: Session;
  readonly now: number;
  onDone(): void;
}

function CodeList({ ecus, device, session, now, onDone }: CodeListProps) {
  const unread = ecus.filter((ecu) => ecu.active_codes?.codes.some(({ spn }) => spn === null));
  const rows = ecus.flatMap((ecu) =>
    [['active', ecu.active_codes] as const, ['was active', ecu.previous_codes] as const].flatMap(([state, told]) =>
      (told?.codes ?? []).map((code) => ({ ecu, state, code, at: told?.observed_at ?? null })),
    ),
  );
  if (rows.length === 0) return null;
  return (
    <>
      <h2>Trouble codes</h2>
      <div class="table">
        <table>
          <thead>
            <tr>
              <th scope="col">Code</th>
              <th scope="col">Unit</th>
              <th scope="col">State</th>
              <th scope="col" class="figure">
                Times
              </th>
              <th scope="col">Told</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ ecu, state, code, at }) => (
              <tr key={`${ecu.bus}:${ecu.source_address}:${state}:${code.raw}`}>
                <th scope="row">
                  {code.meaning ?? 'No words for this code'}
                  <small class="said-line">
                    {code.spn === null ? `SPN not known (${code.raw})` : `SPN ${code.spn}`}, FMI {code.fmi}
                  </small>
                </th>
                <td>
                  {who(ecu).title}, address {ecu.source_address ?? 'none'}
                </td>
                <td>{state === 'active' && since(at, now) > STALE_MS ? 'active then' : state}</td>
                <td class="figure">{code.occurrence_count ?? '—'}</td>
                <td>
                  <Age at={at} now={now} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {unread.map((ecu) => (
        <Conversion
          key={`${ecu.bus}:${ecu.source_address}`}
          ecu={ecu}
          device={device}
          session={session}
          onDone={onDone}
        />
      ))}
    </>
  );
}

const FILTERS = [
  ['all', 'All'],
  ['read', 'Read here'],
  ['unread', 'Not read'],
] as const;
type Filter = (typeof FILTERS)[number][0];

function rateOf({ per_s }: Group, fresh: boolean): string {
  if (!fresh || per_s === null) return '—';
  return per_s >= 10 ? per_s.toFixed(0) : per_s.toFixed(per_s >= 1 ? 1 : 2);
}

function Groups(props: { census: Census; filter: Filter; onFilter(to: Filter): void; fresh: boolean; now: number }) {
  const { census, filter, fresh, now } = props;
  const more = census.groups_total - census.groups.length;
  return (
    <>
      <div class="head">
        <h2>Parameter groups</h2>
        <div class="buttons">
          {FILTERS.map(([id, name]) => (
            <button key={id} type="button" aria-pressed={filter === id} onClick={() => props.onFilter(id)}>
              {name}
            </button>
          ))}
        </div>
      </div>
      {census.groups.length === 0 ? (
        <p class="aside">{filter === 'unread' ? 'Everything that is sent is read.' : 'None so far.'}</p>
      ) : (
        <div class="table">
          <table>
            <thead>
              <tr>
                <th scope="col">Group</th>
                <th scope="col">Sent by</th>
                <th scope="col" class="figure">
                  A second
                </th>
                <th scope="col" class="figure">
                  Frames
                </th>
                <th scope="col">Last heard</th>
                <th scope="col">Here</th>
              </tr>
            </thead>
            <tbody>
              {census.groups.map((one) => (
                <tr key={`${one.bus}:${one.source_address}:${one.pgn}`}>
                  <th scope="row">
                    {one.acronym ?? 'Unknown'} <small class="mono">{`${one.pgn} · 0x${hex(one.pgn, 4)}`}</small>
                  </th>
                  <td>
                    CAN {one.bus}, address {one.source_address}
                  </td>
                  <td class="figure">{rateOf(one, fresh)}</td>
                  <td class="figure">{thousands(one.frames)}</td>
                  <td>
                    <Age at={one.last_heard_at} now={now} />
                  </td>
                  <td class={one.decoded ? '' : 'said'}>{one.decoded ? 'read' : 'not read'}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {more > 0 && <p class="aside">{more} more groups with fewer frames are not shown.</p>}
    </>
  );
}

/** What is heard and not read, in words. */
function Left({ census }: { census: Census }) {
  const { transport, not_counted } = census;
  const said = [
    transport.lost + transport.aborted > 0 &&
      `${thousands(transport.lost + transport.aborted)} messages of several packets did not come whole; ${thousands(transport.completed)} did.`,
    transport.extended > 0 &&
      `${thousands(transport.extended)} frames of messages over 1,785 bytes (extended transport): this gateway does not read those.`,
    not_counted > 0 && `${thousands(not_counted)} frames found no room in these tables.`,
  ].filter((one) => one !== false);
  return said.length === 0 ? null : (
    <ul class="left-out">
      {said.map((one) => (
        <li key={one}>{one}</li>
      ))}
    </ul>
  );
}

function Monitor({ device, session }: { device: Device; session: Session }) {
  const { client } = session;
  const [filter, setFilter] = useState<Filter>('all');
  const { data, problem, reload } = usePolled(
    () =>
      client.call('devices_bus_get', {
        id: device.id,
        limit: SHOWN,
        ...(filter === 'all' ? {} : { decoded: filter === 'read' }),
      }),
    2_000,
    [device.id, filter],
  );
  const now = useNow(session.now);
  if (data === null) return <Problem text={problem} />;
  const silence = since(data.heard_at, now);
  const fresh = silence < RATE_MS && since(data.rates_until, now) < RATE_MS;
  if (data.heard_at === null)
    return (
      <>
        <Problem text={problem} />
        <Empty title="Nothing heard on a bus yet">
          {device.last_seen_at === null
            ? 'The device has not sent anything. Put its key and the address of the broker into it; both are shown when it is provisioned, under Devices.'
            : 'The device is there, but no CAN frame came from it: check that the machine is switched on, the wiring of CAN high and low, and the bit rate of the logger (250 or 500 kbit/s).'}
        </Empty>
      </>
    );
  return (
    <>
      <Problem text={problem} />
      <p class={silence > STALE_MS ? 'waiting' : 'aside'} role="status">
        {silence > STALE_MS
          ? `Silent for ${duration(silence)}. This is what was heard before.`
          : `Newest frame ${duration(silence)} ago. Rates and load are of the last ten seconds on the bus.`}
      </p>
      <div class="pair">
        {data.buses.map((bus) => (
          <BusCard
            key={bus.bus}
            bus={bus}
            device={device}
            session={session}
            fresh={fresh && since(bus.last_heard_at, now) < RATE_MS}
            now={now}
            onDone={reload}
          />
        ))}
      </div>
      <Left census={data} />
      {data.ecus.length > 0 && (
        <>
          <h2>Control units</h2>
          <Ecus ecus={data.ecus} now={now} />
        </>
      )}
      <CodeList ecus={data.ecus} device={device} session={session} now={now} onDone={reload} />
      {(data.groups_total > 0 || filter !== 'all') && (
        <Groups census={data} filter={filter} onFilter={setFilter} fresh={fresh} now={now} />
      )}
    </>
  );
}

export function BusPage({ session, id }: { session: Session; id: string }) {
  const list = usePolled(
    (signal) => readAll(session, 'devices_list', { order: 'asc' }, signal),
    10_000,
    [session],
    ['device'],
  );
  const devices = list.data?.items ?? [];
  // Without a choice the one that was heard last, as that is where something is to be seen.
  const newest = devices.reduce<Device | undefined>(
    (best, one) => ((one.last_seen_at ?? '') > (best?.last_seen_at ?? '') ? one : best),
    devices[0],
  );
  const [first, setFirst] = useState('');
  if (first === '' && newest !== undefined) setFirst(newest.id);
  const chosen = devices.find((one) => one.id === (id || first));
  return (
    <>
      <div class="head">
        <h1>Bus monitor</h1>
        {devices.length > 0 && (
          <Choice
            label="Device"
            value={chosen?.id ?? ''}
            options={devices.map((one) => [one.id, one.device_id] as const)}
            onValue={(to) => {
              location.hash = `bus/${to}`;
            }}
          />
        )}
      </div>
      <Problem text={list.problem} />
      <TruncationNote shown={devices.length} more={list.data?.more === true} what="devices" />
      {list.data !== null && devices.length === 0 && (
        <Empty title="No devices yet">
          Buses are heard through devices. Provision the logger of a machine under <a href="#devices">Devices</a>.
        </Empty>
      )}
      {chosen !== undefined && <Monitor key={chosen.id} device={chosen} session={session} />}
    </>
  );
}
