/** The control units on the buses of a device. */
import { duration } from '#ui/format.ts';
import { Age, type Ecu, hex, STALE_MS, since, thousands } from './bus-values.tsx';

type Codes = NonNullable<Ecu['active_codes']>;

/**
 * Returns the title of a control unit. The title comes from its J1939 NAME. If the unit has sent no NAME, the title comes from the usual
 * use of its address.
 */
export function unitText(ecu: Ecu): { title: string; more: string } {
  const { name, component, usual_name } = ecu;
  const fromName = name === null ? [] : [name.function_name ?? `Function ${name.function}`];
  const maker =
    component?.make ?? name?.manufacturer ?? (name === null ? null : `manufacturer ${name.manufacturer_code}`);
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

/** Shows the number of active trouble codes in the last DM1 message of a control unit. A unit sends DM1 every second. */
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

export function ControlUnits({ ecus, now }: { ecus: readonly Ecu[]; now: number }) {
  return (
    <div class="table">
      <table>
        <thead>
          <tr>
            <th scope="col">Unit</th>
            <th scope="col">Address</th>
            <th scope="col">Last message</th>
            <th scope="col" class="figure">
              Groups
            </th>
            <th scope="col" class="figure">
              Frames
            </th>
            <th scope="col">Codes</th>
            <th scope="col">Identification</th>
          </tr>
        </thead>
        <tbody>
          {ecus.map((one) => {
            const { title, more } = unitText(one);
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
