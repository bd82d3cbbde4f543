/** The trouble codes of the control units on the buses of a device. */
import { officeText } from '#ui/languages/office.ts';
import { t, translated } from '#ui/languages/texts.ts';
import { AsIs, Choice, Problem, WideTable } from '#ui/office/base/parts.tsx';
import { may, type Session } from '#ui/office/base/session.ts';
import { useSend } from '#ui/office/base/use.ts';
import { UnitAddress, unitAddress } from './bus-units.tsx';
import { Age, type Device, type Ecu, STALE_MS, since } from './bus-values.tsx';

/** The versions of the conversion, from the newest to the oldest. */
const METHODS = [3, 2, 1] as const;

/** Sets the SPN conversion method of a control unit. J1939 has several methods, and a trouble code does not show its method. */
function Conversion({ ecu, device, session, onDone }: { ecu: Ecu; device: Device; session: Session; onDone(): void }) {
  const { busy, problem, send } = useSend();
  return (
    <>
      <Choice
        label={t('Code format of {unit} (ask the manufacturer)', { unit: unitAddress(ecu) })}
        value=""
        disabled={busy}
        options={[['', t('Unknown')], ...METHODS.map((n) => [String(n), t('Version {n}', { n })] as const)]}
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

/** Shows a trouble code in words. The name of the parameter is that of J1939, and English in every language: "Engine speed: too high". */
function Meaning({ text }: { text: string }) {
  const at = text.indexOf(': ');
  if (at < 0) return <>{officeText(text)}</>;
  return (
    <>
      <AsIs>{text.slice(0, at)}</AsIs>: {translated(text.slice(at + 2))}
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

export function CodeList({ ecus, device, session, now, onDone }: CodeListProps) {
  const unread = ecus.filter((ecu) => ecu.active_codes?.codes.some(({ spn }) => spn === null));
  const rows = ecus.flatMap((ecu) =>
    (
      [
        ['active', ecu.active_codes],
        ['was active', ecu.previous_codes],
      ] as const
    ).flatMap(([state, report]) =>
      (report?.codes ?? []).map((code) => ({ ecu, state, code, at: report?.observed_at ?? null })),
    ),
  );
  if (rows.length === 0) return null;
  return (
    <>
      <h2>{t('Trouble codes')}</h2>
      <WideTable title={t('Trouble codes')}>
        <thead>
          <tr>
            <th scope="col">{t('Code')}</th>
            <th scope="col">{t('Control unit')}</th>
            <th scope="col">{t('State')}</th>
            <th scope="col" class="figure">
              {t('Times')}
            </th>
            <th scope="col">{t('Reported')}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ ecu, state, code, at }) => (
            <tr key={`${ecu.bus}:${ecu.source_address}:${state}:${code.raw}`}>
              <th scope="row">
                {code.meaning == null ? t('Unknown code') : <Meaning text={code.meaning} />}
                <small class="said-line">
                  {code.spn === null ? t('SPN unknown ({raw})', { raw: code.raw }) : `SPN ${code.spn}`}, FMI {code.fmi}
                </small>
              </th>
              <td>
                <UnitAddress ecu={ecu} />
              </td>
              <td>{t(state === 'active' && since(at, now) > STALE_MS ? 'was active' : state)}</td>
              <td class="figure">{code.occurrence_count ?? '—'}</td>
              <td>
                <Age at={at} now={now} />
              </td>
            </tr>
          ))}
        </tbody>
      </WideTable>
      {(may(session, 'devices_settings_update') ? unread : []).map((ecu) => (
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
