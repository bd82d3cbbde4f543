/** The map of the site: where the machines are, trouble first, and the zones, which a person draws by hand. */

import { useEffect, useState } from 'preact/hooks';
import type { Output } from '#contract/operations.ts';
import { t } from '#ui/languages/texts.ts';
import { OfferedActions } from '#ui/office/agent/offered-actions.ts';
import { readAll } from '#ui/office/base/lists.ts';
import { Empty, Problem } from '#ui/office/base/parts.tsx';
import { may, type Session } from '#ui/office/base/session.ts';
import { useNow, usePolled } from '#ui/office/base/use.ts';
import { Needs } from '#ui/office/machines/machine-trouble.tsx';
import { MapCanvas } from './map-canvas.tsx';
import { type MapMachine, useMapMachines } from './map-machines.ts';
import { fitView, isInside, type View } from './map-view.ts';
import { type Corner, cornersOf, EMPTY, type ZoneDraft } from './zone-draft.ts';
import { ZoneForm } from './zone-form.tsx';

type Location = Output<'locations_list'>['data'][number];

/** Zones are read again after this time, in milliseconds, while the live stream reports no changes. */
const READ_MS = 10_000;

/** A map narrower than this, in pixels, is the map of a phone: it opens on the machines in trouble [U434]. */
const PHONE_PX = 480;
/** The height of the map in pixels. On a phone the whole map is in the first view. */
const heightOf = (width: number) => (width < PHONE_PX ? 420 : 640);
/** A machine that a person chose from the list stands in a view with at most this many metres per pixel. */
const NEAR_M = 1;

/** What a person draws: a new zone, or another outline of a zone. */
interface Drawing {
  readonly zone: Location | null;
  readonly draft: ZoneDraft;
}

/** Returns the corners of all parts of a zone. */
function allCorners({ geofence }: Location): readonly Corner[] {
  if (geofence === null) return [];
  const rings = geofence.type === 'Polygon' ? geofence.coordinates : geofence.coordinates.flat();
  return rings.flat().map(([lon, lat]): Corner => [lon, lat]);
}

/** Returns true if a machine is inside a zone. */
function holds({ geofence }: Location, { corner }: MapMachine): boolean {
  if (geofence === null) return false;
  const parts = geofence.type === 'Polygon' ? [geofence.coordinates] : geofence.coordinates;
  return parts.some((rings) => {
    const [outer = [], ...holes] = rings.map((ring) => ring.map(([lon, lat]): Corner => [lon, lat]));
    return isInside(outer, corner) && !holes.some((hole) => isInside(hole, corner));
  });
}

/** Returns the numbers of units by type: "HT 01 04 08 · DZ 02". */
function unitsText(machines: readonly MapMachine[]): string {
  const types = new Map<string, string[]>();
  for (const { row } of machines) {
    const [, type = '', number = ''] = /^(.*?)[-_ ]?(\d*)$/.exec(row.unit_number) ?? [];
    types.set(type, [...(types.get(type) ?? []), number]);
  }
  return [...types].map(([type, numbers]) => `${type} ${numbers.sort().join(' ')}`.trim()).join(' · ');
}

function ZoneList(props: {
  zones: readonly Location[];
  machines: readonly MapMachine[];
  canDraw: boolean;
  onChange(zone: Location): void;
}) {
  if (props.zones.length === 0)
    return (
      <Empty title={t('No zones yet')}>
        {t('A zone is a pit, a road or a workshop with an outline. Shift reports, alerts and the walls use it.')}
      </Empty>
    );
  return (
    <ul class="zone-list">
      {props.zones.map((zone) => {
        const inside = props.machines.filter((one) => holds(zone, one));
        const isEditable = cornersOf(zone.geofence) !== undefined;
        return (
          <li key={zone.id}>
            <p>
              <b>{zone.name}</b>{' '}
              <span class="aside">
                {zone.geofence === null ? t('no outline') : t('{n} here', { n: inside.length })}
              </span>
            </p>
            {inside.length > 0 && <p>{unitsText(inside)}</p>}
            {props.canDraw &&
              (isEditable ? (
                <button type="button" onClick={() => props.onChange(zone)}>
                  {zone.geofence === null ? t('Draw its outline') : t('Change')}
                  <span class="hidden"> {zone.name}</span>
                </button>
              ) : (
                <p class="aside">{t('This zone has several parts or holes. Change it over the API.')}</p>
              ))}
          </li>
        );
      })}
    </ul>
  );
}

/** Returns the machines in trouble, the most urgent first. */
const inTrouble = (machines: readonly MapMachine[]) => machines.filter(({ row }) => row.trouble !== undefined);

/** The machines in trouble on the map, the most urgent first. A button brings one into the middle of the map [U434]. */
function Troubles({ machines, onCentre }: { machines: readonly MapMachine[]; onCentre(machine: MapMachine): void }) {
  const troubled = inTrouble(machines);
  if (troubled.length === 0) return null;
  return (
    <section class="map-troubles" aria-label={t('Machines in trouble')}>
      <h2>{t('In trouble: {n}', { n: troubled.length })}</h2>
      <ol>
        {troubled.map((machine) => {
          const { row, old } = machine;
          return (
            <li key={row.id} data-grade={row.trouble?.reason.grade} data-cause={row.trouble?.reason.cause}>
              <a href={`#story/${row.id}`}>{row.unit_number}</a>
              <Needs machine={row} />
              {old !== null && <p class="aside">{t('Here {age} ago, no position since.', { age: old })}</p>}
              <button type="button" onClick={() => onCentre(machine)}>
                {t('Show on the map')}
                <span class="hidden"> {row.unit_number}</span>
              </button>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

export function MapPage({ session }: { session: Session }) {
  const now = useNow(session.now);
  const { machines, without, isRead, problem } = useMapMachines(session, now);
  const read = usePolled(
    (signal) => readAll(session, 'locations_list', { order: 'asc', active: true }, signal),
    READ_MS,
    [session],
    ['location'],
  );
  const zones = read.data?.items ?? null;
  const [width, setWidth] = useState(0);
  const [view, setView] = useState<View | null>(null);
  const [drawing, setDrawing] = useState<Drawing | null>(null);
  const height = heightOf(width);
  const fit = () =>
    setView(fitView([...(zones ?? []).flatMap(allCorners), ...machines.map(({ corner }) => corner)], width, height));
  /** On a phone the map opens on the machines in trouble; "Show all" then shows the whole site. */
  const open = () => {
    const troubled = inTrouble(machines);
    if (width >= PHONE_PX || troubled.length === 0) fit();
    else
      setView(
        fitView(
          troubled.map(({ corner }) => corner),
          width,
          height,
        ),
      );
  };
  const centre = ({ corner }: MapMachine) => {
    if (view !== null) setView({ ...view, middle: corner, metres: Math.min(view.metres, NEAR_M) });
    document.querySelector('.map-canvas')?.scrollIntoView({ block: 'center' });
  };
  const isReady = isRead && zones !== null && width > 0;
  useEffect(() => {
    if (!isReady) return;
    if (view === null) open();
    else setView({ ...view, width, height });
  }, [isReady, width]);
  const canDraw = may(session, 'locations_create');
  const shown = (zones ?? []).filter((zone) => zone.id !== drawing?.zone?.id);
  const counts = new Map((zones ?? []).map((zone) => [zone.id, machines.filter((one) => holds(zone, one)).length]));
  const start = (zone: Location | null) => {
    const corners = zone === null ? [] : cornersOf(zone.geofence);
    setDrawing({ zone, draft: { ...EMPTY, corners: corners ?? [] } });
  };
  return (
    <>
      <div class="head">
        <h1>{t('Map')}</h1>
        {canDraw && drawing === null && (
          <button type="button" class="primary" onClick={() => start(null)}>
            {t('Draw a zone')}
          </button>
        )}
      </div>
      <Problem text={problem ?? read.problem} />
      <p id="map-keys" class="aside">
        {t('Drag to move the map; the wheel, + and − change the scale.')}{' '}
        {without > 0 && t('{n} machine has sent no position.|{n} machines have sent no position.', { n: without })}
      </p>
      <div class="map-page">
        <MapCanvas
          zones={shown}
          counts={counts}
          machines={machines}
          view={view}
          chosen={drawing?.zone?.id ?? null}
          draft={drawing?.draft ?? null}
          now={now}
          onView={setView}
          onFit={fit}
          onWidth={setWidth}
          onDraft={(draft) => drawing !== null && setDrawing({ ...drawing, draft })}
        />
        <aside class="map-side" aria-label={t('Zones and machines in trouble')}>
          {drawing === null ? (
            <>
              <Troubles machines={machines} onCentre={centre} />
              <section aria-label={t('Zones')}>
                <h2>{t('Zones')}</h2>
                {zones !== null && (
                  <ZoneList
                    zones={zones}
                    machines={machines}
                    canDraw={may(session, 'locations_update')}
                    onChange={start}
                  />
                )}
              </section>
            </>
          ) : (
            <ZoneForm
              key={drawing.zone?.id}
              session={session}
              zone={drawing.zone}
              draft={drawing.draft}
              onDraft={(draft) => setDrawing({ ...drawing, draft })}
              onDone={() => {
                setDrawing(null);
                read.reload();
              }}
            />
          )}
        </aside>
      </div>
      <OfferedActions session={session} place="location" subject={null} />
      {isReady && machines.length === 0 && (
        <Empty title={t('No machine has sent a position')}>
          {t(
            'The map shows a machine when its logger sends a GNSS position, over CAN or as position.latitude and position.longitude.',
          )}
        </Empty>
      )}
    </>
  );
}
