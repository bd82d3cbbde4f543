/** The panel of one machine. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { duration, moment } from '#ui/format.ts';
import { Problem } from '#ui/office/base/parts.tsx';
import type { Session } from '#ui/office/base/session.ts';
import { useNow, usePolled } from '#ui/office/base/use.ts';
import { ConnectLogger } from '#ui/office/devices/connect-logger.tsx';
import { ChainStop } from '#ui/office/devices/device-chain.tsx';
import { kindText } from './machine-kinds.ts';
import { MachineStatus } from './machine-status.tsx';
import { ActiveCodes, MachineValues } from './machine-values.tsx';
import { MachineLinks, type MachineWorkMap } from './machine-work.tsx';

/** Up to this window width the panel is below the list, so the page scrolls to the panel when a person selects a machine. */
const STACKED = '(max-width: 75rem)';

export function MachineDetail(props: {
  id: string;
  session: Session;
  work: MachineWorkMap | null;
  /** True if the person has just added the machine. The panel then opens the form that connects a logger. */
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
          data.kind === null ? null : kindText(data.kind),
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
          <MachineLinks id={data.id} work={props.work} />
          {!connecting && data.device_ids.map((id) => <ChainStop key={id} session={session} id={id} />)}
          <MachineValues data={data} session={session} now={now} />
          {data.history_from != null && (
            <p class="aside">
              Samples up to {moment(Date.parse(data.history_from), now, session.project.timezone)} (
              {duration(now - Date.parse(data.history_from))} ago) were deleted because of their age or the size of the
              database.
            </p>
          )}
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
