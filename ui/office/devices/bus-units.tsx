/** The control units on the buses of a device. */

import { duration } from '#ui/format.ts';
import { said, t } from '#ui/languages/texts.ts';
import { AsIs, WideTable } from '#ui/office/base/parts.tsx';
import { LAMP_WORDS } from '#ui/office/base/status-words.ts';
import { Age, type Ecu, hex, STALE_MS, since, thousands } from './bus-values.tsx';

type Codes = NonNullable<Ecu['active_codes']>;

/**
 * Returns the title of a control unit. The title comes from its J1939 NAME. If the unit has sent no NAME, the title comes from the usual
 * use of its address. The names of J1939 are English in every language; `isName` is true for such a name.
 */
function unitText(ecu: Ecu): { title: string; isName: boolean; more: string } {
  const { name, component, usual_name } = ecu;
  const maker =
    component?.make ??
    name?.manufacturer ??
    (name === null ? null : t('manufacturer {code}', { code: name.manufacturer_code }));
  const known = name === null ? usual_name : name.function_name;
  const unnamed = name === null ? t('Unknown unit') : t('Function {n}', { n: name.function });
  const model = [
    component?.model,
    component?.serial === null ? null : component?.serial && t('serial {serial}', { serial: component.serial }),
  ];
  return {
    title: known ?? unnamed,
    isName: known != null,
    more: [maker, ...model].filter((part) => part != null && part !== '').join(', '),
  };
}

/** Shows the title of a control unit and its address: "Engine, address 0". */
export function UnitAddress({ ecu }: { ecu: Ecu }) {
  const { title, isName } = unitText(ecu);
  const unit = isName ? <AsIs>{title}</AsIs> : title;
  const { source_address } = ecu;
  return (
    <>
      {source_address === null
        ? said('{unit}, no address', { unit })
        : said('{unit}, address {address}', { unit, address: source_address })}
    </>
  );
}

/** Returns the title of a control unit and its address as text. */
export function unitAddress(ecu: Ecu): string {
  const unit = unitText(ecu).title;
  return ecu.source_address === null
    ? t('{unit}, no address', { unit })
    : t('{unit}, address {address}', { unit, address: ecu.source_address });
}

function lampText(lamp: string, flash: Codes['lamps']['mil']['flash']): string {
  if (flash === 'steady') return lamp;
  if (flash === 'reserved') return t('{lamp}, unknown flash code', { lamp });
  return flash === 'fast' ? t('{lamp} flashes fast', { lamp }) : t('{lamp} flashes slowly', { lamp });
}

function lampsOf({ lamps }: Codes): string {
  return (Object.keys(LAMP_WORDS) as (keyof typeof LAMP_WORDS)[])
    .filter((lamp) => lamps[lamp].state === 'on')
    .map((lamp) => lampText(t(LAMP_WORDS[lamp]), lamps[lamp].flash))
    .join(', ');
}

/** Shows the number of active trouble codes in the last DM1 message of a control unit. A unit sends DM1 every second. */
function CodeCount({ codes, now }: { codes: Codes | null; now: number }) {
  if (codes === null) return <>—</>;
  const count = codes.count === 0 ? t('none active') : t('{n} active|{n} active', { n: codes.count });
  const ms = since(codes.observed_at, now);
  if (ms > STALE_MS) return <span class="age stale">{`${count}, ${t('{age} ago', { age: duration(ms) })}`}</span>;
  const lamps = lampsOf(codes);
  return (
    <>
      {count}
      {lamps !== '' && <small class="said-line">{lamps}</small>}
    </>
  );
}

export function ControlUnits({ ecus, now }: { ecus: readonly Ecu[]; now: number }) {
  return (
    <WideTable title={t('Control units')}>
      <thead>
        <tr>
          <th scope="col">{t('Control unit')}</th>
          <th scope="col">{t('Address')}</th>
          <th scope="col">{t('Last message')}</th>
          <th scope="col" class="figure">
            {t('Groups')}
          </th>
          <th scope="col" class="figure">
            {t('Frames')}
          </th>
          <th scope="col">{t('Codes')}</th>
          <th scope="col">{t('Identification')}</th>
        </tr>
      </thead>
      <tbody>
        {ecus.map((one) => {
          const { title, isName, more } = unitText(one);
          const codes = one.active_codes;
          return (
            <tr key={`${one.bus}:${one.source_address ?? one.name?.raw}`}>
              <th scope="row">
                {isName ? <AsIs>{title}</AsIs> : title}
                {more !== '' && <small>{more}</small>}
              </th>
              <td>
                CAN {one.bus}, {one.source_address === null ? t('no address') : `${one.source_address} `}
                {one.source_address !== null && <small class="mono">0x{hex(one.source_address, 2)}</small>}
                {one.name !== null && one.name.previous_addresses.length > 0 && (
                  <small>, {t('was {address}', { address: one.name.previous_addresses.at(-1) ?? '' })}</small>
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
    </WideTable>
  );
}
