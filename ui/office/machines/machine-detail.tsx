/** The panel of one machine. */
import type { ComponentProps } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { duration, moment } from '#ui/format.ts';
import { t } from '#ui/languages/texts.ts';
import { OfferedActions } from '#ui/office/agent/offered-actions.ts';
import { OnlyAtSite } from '#ui/office/base/at-site.tsx';
import { Delivery } from '#ui/office/base/delivery.tsx';
import { lazyPage } from '#ui/office/base/lazy-page.tsx';
import { useIdText, useList } from '#ui/office/base/lists.ts';
import { kindText } from '#ui/office/base/machine-kinds.ts';
import { NoRecord, Problem } from '#ui/office/base/parts.tsx';
import { may, maySet, type Session } from '#ui/office/base/session.ts';
import { useNow, usePolled } from '#ui/office/base/use.ts';
import { FaultLink } from '#ui/office/care/fault-link.tsx';
import { ChainStop } from '#ui/office/devices/device-chain.tsx';
import { valueText } from './machine-cells.tsx';
import { MachineLocation } from './machine-location.tsx';
import { MachineMeters } from './machine-meters.tsx';
import { MachineName } from './machine-name.tsx';
import { MachineStatus } from './machine-status.tsx';
import { MachineTrouble } from './machine-trouble.tsx';
import { ActiveCodes, MachineValues } from './machine-values.tsx';
import { MachineLinks, type MachineWorkMap } from './machine-work.tsx';
import type { StoryPlace } from './story-parts.ts';

/** Up to this window width the panel is below the list, so the page scrolls to the panel when a person selects a machine. */
const STACKED = '(max-width: 75rem)';
/** A panel of which less than this stands in the window counts as not seen, in pixels. */
const SEEN_PX = 300;

/** Most people never open this form, so its code is not part of the first page. */
const ConnectLogger = lazyPage(
  () => import('#ui/office/devices/connect-logger.tsx').then((one) => one.ConnectLogger),
  'part',
);

/** The list of machines does not show stories. */
const MachineStory = lazyPage(() => import('./machine-story.tsx').then((one) => one.MachineStory), 'part');

type Part = Pick<ComponentProps<typeof MachineName>, 'session' | 'machine' | 'onDone'>;

/** What people say about the machine: its name and its location. */
function Settings(part: Part) {
  const { session } = part;
  return (
    <>
      {maySet(session, 'equipment_update', 'unit_number', '') && <MachineName {...part} />}
      {maySet(session, 'equipment_update', 'location_id', null) && <MachineLocation {...part} />}
    </>
  );
}

/** In the place of a machine that is not read yet, or that the gateway does not give. */
function Absent({ isWhole, problem }: { isWhole: boolean; problem: string | null }) {
  if (!isWhole) return <Problem text={problem} />;
  return <NoRecord title={t('Machines')} href="#machines" all={t('All machines')} problem={problem} />;
}

/** Scrolls to the panel of a machine when it opens, if it would not be seen. Returns the reference for the panel. */
function usePanel(isPanel: boolean, isEmpty: boolean) {
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    const one = panel.current;
    if (one === null || !isPanel) return;
    // On a wide page the panel stands beside the list of all machines. The machines in trouble above it, or a long list, may fill the window.
    const { top } = one.getBoundingClientRect();
    const isSeen = top >= 0 && top <= innerHeight - SEEN_PX;
    if (!isSeen || matchMedia(STACKED).matches) one.scrollIntoView({ block: 'start' });
  }, [isEmpty]);
  return panel;
}

/**
 * Returns what the machine is: its name, kind, maker and model. On its page also where people say that it is, its hours, and its operator. The
 * serial number is last, because it is for paper.
 */
function useAbout(session: Session, machine: Part['machine'] | null, isWhole: boolean): readonly string[] {
  const place = useIdText(useList(session, 'locations_list'), ({ name }) => name);
  const operator = useIdText(useList(session, 'operators_list'), ({ name }) => name);
  if (machine === null) return [];
  const { name, unit_number, kind, oem_name, model, serial_number, location_id, operator_id } = machine;
  const now = isWhole
    ? [
        location_id === null ? null : place(location_id),
        // A number never breaks over two lines.
        valueText(machine, 'engine_hours')?.replaceAll(/\s/g, '\u00a0'),
        operator_id === null ? null : t('operator {name}', { name: operator(operator_id) }),
      ]
    : [];
  return [
    name === unit_number ? null : name,
    kind === null ? null : kindText(kind),
    oem_name,
    model,
    ...now,
    serial_number,
  ].filter((part): part is string => part != null && part !== '');
}

/** The meters; at head office, why their corrections are not there. */
function Meters(props: ComponentProps<typeof MachineMeters>) {
  const { session } = props;
  return (
    <>
      {may(session, 'equipment_meters') && <MachineMeters {...props} />}
      <OnlyAtSite
        session={session}
        what={t('Meter corrections, the loggers and the origin of each number of this machine')}
      />
    </>
  );
}

export function MachineDetail(props: {
  id: string;
  session: Session;
  work: MachineWorkMap | null;
  /** The row of the machine if it is in trouble. */
  trouble: ComponentProps<typeof MachineTrouble>['machine'] | undefined;
  /** True if the person has just added the machine. The panel then opens the form that connects a logger. */
  isNew: boolean;
  /** On the page of the machine, which has the space for its story: the range and the question in the address. */
  story: StoryPlace | null;
  onChange(): void;
  onClose(): void;
}) {
  const { session } = props;
  const isWhole = props.story !== null;
  const { data, problem, reload } = usePolled(
    () => session.client.call('equipment_get', { id: props.id, include: 'calc' }),
    3_000,
    [props.id],
  );
  const [connecting, setConnecting] = useState(props.isNew);
  const panel = usePanel(!isWhole, data === null);
  const now = useNow(session.now);
  const changed = () => {
    reload();
    props.onChange();
  };
  const canConnect = data !== null && data.status !== 'decommissioned' && may(session, 'devices_provision');
  const about = useAbout(session, data, isWhole);
  return (
    <section
      ref={panel}
      class={isWhole ? 'detail-panel whole' : 'detail-panel'}
      aria-label={data?.unit_number ?? t('Machine')}
    >
      {data === null ? (
        <Absent isWhole={isWhole} problem={problem} />
      ) : (
        <>
          <div class="head">
            <div>
              {!isWhole && <h2>{data.unit_number}</h2>}
              {isWhole && props.trouble === undefined && <h1>{data.unit_number}</h1>}
              {(!isWhole || props.trouble === undefined) && <p class="aside">{about.join(' · ')}</p>}
              {isWhole && (
                <p>
                  <a href="#machines">{t('All machines')}</a>
                </p>
              )}
            </div>
            {!isWhole && (
              <div class="actions">
                <a class="button" href={`#story/${data.id}`}>
                  {t('Open its story')}
                </a>
                <button type="button" class="quiet" onClick={props.onClose}>
                  {t('Close')}
                </button>
              </div>
            )}
          </div>
          <Problem text={problem} />
          <Delivery of={data.delivery} now={now} timezone={session.project.timezone} reload={reload} />
          {props.trouble !== undefined && (
            <MachineTrouble
              session={session}
              machine={props.trouble}
              now={now}
              about={isWhole ? about.join(', ') : null}
              onDone={changed}
            />
          )}
          {props.story !== null && <MachineStory session={session} machine={data} place={props.story} />}
          <MachineStatus session={session} machine={data} onDone={changed} />
          <Settings session={session} machine={data} onDone={changed} />
          <MachineLinks id={data.id} work={props.work} />
          {data.status !== 'decommissioned' && (
            <OfferedActions session={session} place="equipment" subject={{ id: data.id, name: data.unit_number }} />
          )}
          {!connecting && data.device_ids.map((id) => <ChainStop key={id} session={session} id={id} />)}
          <MachineValues data={data} session={session} now={now} onDone={changed} />
          <Meters session={session} machine={data} onDone={changed} now={now} />
          {data.history_from != null && (
            <p class="aside">
              {t('Samples up to {time} ({age} ago) were deleted because of their age or the size of the database.', {
                time: moment(Date.parse(data.history_from), now, session.project.timezone),
                age: duration(now - Date.parse(data.history_from)),
              })}
            </p>
          )}
          {canConnect && (data.device_ids.length === 0 || connecting) && (
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
          {data.status !== 'decommissioned' && may(session, 'fault_links') && (
            <FaultLink key={data.id} session={session} id={data.id} />
          )}
        </>
      )}
    </section>
  );
}
