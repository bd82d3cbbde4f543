/** A card that shows one CAN bus: its load, frame counters and bit rate. */
import { decimals, t } from '#ui/languages/texts.ts';
import { Choice, Problem } from '#ui/office/base/parts.tsx';
import { may, type Session } from '#ui/office/base/session.ts';
import { useSend } from '#ui/office/base/use.ts';
import { Age, type BusInventory, type Device, kbit, thousands } from './bus-values.tsx';

type Bus = BusInventory['buses'][number];

const RATES = [250_000, 500_000, 1_000_000] as const;
function BitRate({ bus, device, session, onDone }: { bus: Bus; device: Device; session: Session; onDone(): void }) {
  const { busy, problem, send } = useSend();
  const known =
    bus.bit_rate_source === 'estimate' && bus.bit_rate !== null
      ? t('{rate}, estimated', { rate: kbit(bus.bit_rate) })
      : null;
  return (
    <>
      <Choice
        label={t('Bit rate')}
        value={bus.bit_rate_source === 'setting' ? String(bus.bit_rate) : ''}
        disabled={busy}
        options={[['', known ?? t('Unknown')], ...RATES.map((rate) => [String(rate), kbit(rate)] as const)]}
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

export function BusCard(props: {
  bus: Bus;
  device: Device;
  session: Session;
  fresh: boolean;
  now: number;
  onDone(): void;
}) {
  const { bus, fresh, now } = props;
  const load = fresh ? bus.load_pct : null;
  const counts: [string, string][] = [
    [t('Frames per second'), fresh && bus.frames_per_s !== null ? thousands(Math.round(bus.frames_per_s)) : '—'],
    [t('Frames'), thousands(bus.frames)],
    ...(bus.standard_frames > 0 ? [[t('11-bit, not J1939'), thousands(bus.standard_frames)] as [string, string]] : []),
    ...(bus.fd_frames > 0 ? [['CAN FD', thousands(bus.fd_frames)] as [string, string]] : []),
    ...(bus.remote_frames > 0 ? [[t('Remote'), thousands(bus.remote_frames)] as [string, string]] : []),
  ];
  return (
    <section class="panel-box bus">
      <div class="row">
        <h2>CAN {bus.bus}</h2>
        <Age at={bus.last_heard_at} now={now} />
      </div>
      <div class="load">
        <progress aria-label={t('Load of {bus}', { bus: `CAN ${bus.bus}` })} value={load ?? 0} max={100} />
        <b>{load === null ? '—' : `${decimals(load.toFixed(1))} %`}</b>
        <small>{t(load === null ? (fresh ? 'Select the bit rate to see the load' : 'No traffic') : 'Load')}</small>
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
            <dt>{t('Error frames')}</dt>
            <dd>
              <span class="said down">{thousands(bus.error_frames)}</span> <Age at={bus.last_error_at} now={now} />
            </dd>
          </div>
        )}
      </dl>
      {may(props.session, 'devices_settings_update') && (
        <BitRate bus={bus} device={props.device} session={props.session} onDone={props.onDone} />
      )}
    </section>
  );
}
