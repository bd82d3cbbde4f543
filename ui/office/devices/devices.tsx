/** The list of devices, and the form that provisions a new one. */
import { useState } from 'preact/hooks';
import type { Output } from '#contract/operations.ts';
import { duration } from '#ui/format.ts';
import { t } from '#ui/languages/texts.ts';
import { OnlyAtSite } from '#ui/office/base/at-site.tsx';
import { Choice, DeviceBadge, Empty, Problem, Steps, TruncationNote } from '#ui/office/base/parts.tsx';
import { useDeviceRows, useMachineRows } from '#ui/office/base/rows.ts';
import { may, type Session } from '#ui/office/base/session.ts';
import { useNow, useSend } from '#ui/office/base/use.ts';
import { machineOptions, NewDevice, type Provision, ProvisionForm } from './connect-logger.tsx';

type Device = Output<'devices_get'>;
type Machine = { readonly id: string; readonly unit_number: string };

function MachineLink(props: { device: Device; machines: readonly Machine[]; session: Session; onDone(): void }) {
  const { device } = props;
  const { busy, problem, send } = useSend();
  return (
    <>
      <Choice
        label={t('Machine of {device}', { device: device.device_id })}
        value={device.equipment_id ?? ''}
        disabled={busy}
        options={machineOptions(props.machines, t('Not linked'))}
        onValue={(equipment_id) => {
          if (equipment_id === '' || equipment_id === device.equipment_id) return;
          send(async () => {
            const links = [{ serial: device.device_id, equipment_id, source: 'ui' as const }];
            const { data } = await props.session.client.call('telemetry_devices_link', { links });
            const failed = data.find((one) => one.error !== null);
            if (failed?.error) throw new Error(failed.error.message);
            props.onDone();
          });
        }}
      />
      <Problem text={problem} />
    </>
  );
}

export function Devices({ session }: { session: Session }) {
  const list = useDeviceRows(session);
  const equipment = useMachineRows(session);
  const [adding, setAdding] = useState(false);
  const [made, setMade] = useState<Provision | null>(null);
  const now = useNow(session.now);
  const devices = list.rows ?? [];
  const machines = equipment.rows ?? [];
  return (
    <>
      <div class="head">
        <h1>{t('Devices')}</h1>
        {made === null && may(session, 'devices_provision') && (
          <button type="button" onClick={() => setAdding(!adding)} aria-expanded={adding}>
            {t(adding ? 'Close' : 'Provision a device')}
          </button>
        )}
      </div>
      <Problem text={list.problem} />
      <OnlyAtSite session={session} what={t('New devices and their links to machines')} />
      <TruncationNote shown={devices.length} more={list.more} what={t('devices')} />
      {made !== null && (
        <NewDevice
          made={made}
          session={session}
          onDone={() => {
            setMade(null);
            list.reload();
          }}
        />
      )}
      {adding && made === null && (
        <div class="panel-box">
          <ProvisionForm
            session={session}
            machines={machines}
            onMade={(result) => {
              setMade(result);
              setAdding(false);
              list.reload();
            }}
          />
        </div>
      )}
      {list.rows !== null && devices.length === 0 && !adding && made === null && (
        <Empty title={t('No devices yet')}>
          {may(session, 'devices_provision')
            ? t('Provision the logger of a machine. The gateway shows its key only once.')
            : t('An admin provisions the loggers of the machines.')}
        </Empty>
      )}
      {devices.length > 0 && (
        <div class="table stacks">
          <table>
            <thead>
              <tr>
                <th scope="col">{t('Device')}</th>
                <th scope="col">{t('Status')}</th>
                <th scope="col">{t('Progress')}</th>
                <th scope="col">{t('Last seen')}</th>
                <th scope="col" class="figure">
                  {t('Messages')}
                </th>
                <th scope="col" class="figure">
                  {t('Errors')}
                </th>
                <th scope="col">{t('Machine')}</th>
              </tr>
            </thead>
            <tbody>
              {devices.map((one) => (
                <tr key={one.id}>
                  <th scope="row">
                    <a href={`#devices/${one.id}`}>{one.device_id}</a>
                    {one.name !== one.device_id && <small>{one.name}</small>}
                  </th>
                  <td data-label={t('Status')}>
                    <DeviceBadge status={one.status} color={one.status_color} />
                  </td>
                  <td data-label={t('Progress')}>
                    <Steps
                      linked={one.equipment_id !== null}
                      seen={one.last_seen_at !== null}
                      transmitting={one.status === 'transmitting'}
                    />
                  </td>
                  <td data-label={t('Last seen')}>
                    {one.last_seen_at === null
                      ? t('never')
                      : t('{age} ago', { age: duration(now - Date.parse(one.last_seen_at)) })}
                  </td>
                  <td class="figure" data-label={t('Messages')}>
                    {one.metrics.messages_total}
                  </td>
                  <td class="figure" data-label={t('Errors')}>
                    {one.metrics.decode_errors_total}
                  </td>
                  <td class="control" data-label={t('Machine')}>
                    {may(session, 'telemetry_devices_link') ? (
                      <MachineLink device={one} machines={machines} session={session} onDone={list.reload} />
                    ) : (
                      (machines.find(({ id }) => id === one.equipment_id)?.unit_number ?? t('Not linked'))
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}
