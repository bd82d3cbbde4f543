/** The page of one device. */
import type { Output } from '#contract/operations.ts';
import { duration } from '#ui/format.ts';
import { t } from '#ui/languages/texts.ts';
import { OnlyAtSite } from '#ui/office/base/at-site.tsx';
import { Copy, DeviceBadge, NoRecord, Problem } from '#ui/office/base/parts.tsx';
import { may, type Session } from '#ui/office/base/session.ts';
import { useNow, usePolled } from '#ui/office/base/use.ts';
import { BucketKeyBox } from './bucket-key.tsx';
import { DeviceChain } from './device-chain.tsx';
import { DeviceConfiguration } from './device-configuration.tsx';
import { DeviceFiles, LogPassword } from './device-files.tsx';
import { FirmwareBox } from './device-firmware.tsx';
import { DeviceLabel } from './device-label.tsx';
import { QuarantineBox } from './quarantine.tsx';

/** Shows the state that the device last reported, for example its firmware version, with the names that the device uses. */
function Reported({ device }: { device: Output<'devices_get'> }) {
  const { reported } = device.state;
  if (typeof reported !== 'object' || reported === null || Object.keys(reported).length === 0) return null;
  return (
    <section class="panel-box">
      <h2>{t('Reported by the device')}</h2>
      <dl class="pairs" lang="en" data-as-is>
        {Object.entries(reported).map(([name, value]) => (
          <div key={name}>
            <dt>{name.replaceAll('_', ' ')}</dt>
            <dd>{typeof value === 'object' ? JSON.stringify(value) : String(value)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

export function DevicePage({ session, id }: { session: Session; id: string }) {
  const { client } = session;
  const { data: device, problem } = usePolled(() => client.call('devices_get', { id }), 2_000, [id]);
  const now = useNow(session.now);
  if (device === null)
    return <NoRecord title={t('Devices')} href="#devices" all={t('All devices')} problem={problem} />;
  const isLogger = device.kind === 'can_logger';
  return (
    <>
      <a href="#devices">{t('All devices')}</a>
      <div class="head">
        <h1>
          {device.name} {device.name !== device.device_id && <small>{device.device_id}</small>}
        </h1>
        <DeviceBadge status={device.status} color={device.status_color} />
      </div>
      <Problem text={problem} />
      <p>
        {device.last_seen_at === null
          ? t('The device has not sent data yet.')
          : t('Last data {age} ago.', { age: duration(now - Date.parse(device.last_seen_at)) })}
      </p>
      {may(session, 'devices_diagnosis') && <DeviceChain session={session} id={id} />}
      <OnlyAtSite
        session={session}
        what={t('The diagnosis, the key, the configuration and the firmware of this device')}
      />
      {may(session, 'devices_label') && <DeviceLabel session={session} device={device} />}
      {isLogger && may(session, 'devices_config_put') && (
        <DeviceConfiguration session={session} device={device} running={device.state.firmware} />
      )}
      {isLogger && may(session, 'devices_firmware_put') && <FirmwareBox session={session} device={device} />}
      {isLogger && may(session, 'devices_bucket_key_roll') && <BucketKeyBox session={session} id={id} now={now} />}
      <DeviceFiles session={session} device={device} now={now} />
      {isLogger && may(session, 'devices_log_password') && <LogPassword session={session} device={device} />}
      <Reported device={device} />
      {may(session, 'devices_quarantine') && <QuarantineBox session={session} device={device} />}
      <Copy label={t('ID for the API')} text={device.id} />
    </>
  );
}
