/** The bus monitor of a device: buses, control units, trouble codes and parameter groups. */
import { useState } from 'preact/hooks';
import { duration } from '#ui/format.ts';
import { said, t } from '#ui/languages/texts.ts';
import { readAll } from '#ui/office/base/lists.ts';
import { Choice, Empty, Problem, TruncationNote } from '#ui/office/base/parts.tsx';
import type { Session } from '#ui/office/base/session.ts';
import { useNow, usePolled } from '#ui/office/base/use.ts';
import { BusCard } from './bus-card.tsx';
import { CodeList } from './bus-codes.tsx';
import { type Filter, IgnoredFrames, ParameterGroups } from './bus-groups.tsx';
import { ControlUnits } from './bus-units.tsx';
import { type Device, RATE_MS, STALE_MS, since } from './bus-values.tsx';

/** Largest number of parameter groups that the page requests. */
const SHOWN = 200;

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
        <Empty title={t('No frames yet')}>
          {device.last_seen_at === null
            ? t(
                'The device has not sent anything. Put its key and the broker address into the device. The Devices page shows both when you provision a device.',
              )
            : t(
                'The device sends data, but no CAN frames. Check that the machine is on, the wiring of CAN high and CAN low, and the bit rate of the logger (250 or 500 kbit/s).',
              )}
        </Empty>
      </>
    );
  return (
    <>
      <Problem text={problem} />
      <p class={silence > STALE_MS ? 'waiting' : 'aside'} role="status">
        {silence > STALE_MS
          ? t('No frames for {age}. This page shows older data.', { age: duration(silence) })
          : t('Newest frame {age} ago. Rates and load cover the last ten seconds.', { age: duration(silence) })}
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
      <IgnoredFrames inventory={data} />
      {data.ecus.length > 0 && (
        <>
          <h2>{t('Control units')}</h2>
          <ControlUnits ecus={data.ecus} now={now} />
        </>
      )}
      <CodeList ecus={data.ecus} device={device} session={session} now={now} onDone={reload} />
      {(data.groups_total > 0 || filter !== 'all') && (
        <ParameterGroups inventory={data} filter={filter} onFilter={setFilter} fresh={fresh} now={now} />
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
  // If the person has selected no device, show the device that sent data last.
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
        <h1>{t('Bus monitor')}</h1>
        {devices.length > 0 && (
          <Choice
            label={t('Device')}
            value={chosen?.id ?? ''}
            options={devices.map((one) => [one.id, one.device_id] as const)}
            onValue={(to) => {
              location.hash = `bus/${to}`;
            }}
          />
        )}
      </div>
      <Problem text={list.problem} />
      <TruncationNote shown={devices.length} more={list.data?.more === true} what={t('devices')} />
      {list.data !== null && devices.length === 0 && (
        <Empty title={t('No devices yet')}>
          {said('Provision the logger of a machine on the page {link}. This page then shows its buses.', {
            link: <a href="#devices">{t('Devices')}</a>,
          })}
        </Empty>
      )}
      {chosen !== undefined && <Monitor key={chosen.id} device={chosen} session={session} />}
    </>
  );
}
