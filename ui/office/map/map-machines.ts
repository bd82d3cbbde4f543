/** The machines on the map: their positions, marks and names. */

import { valueFreshnessAt } from '#contract/base/freshness.ts';
import type { Output } from '#contract/operations.ts';
import type { MachineRow } from '#contract/site/project-live.ts';
import { duration } from '#ui/format.ts';
import { t } from '#ui/languages/texts.ts';
import { readAll } from '#ui/office/base/lists.ts';
import { useMachineRows } from '#ui/office/base/rows.ts';
import type { Session } from '#ui/office/base/session.ts';
import { usePolled } from '#ui/office/base/use.ts';
import { type Box, type Placed, placeNames, spreadSpots } from '#ui/tiles/map-drawing.ts';
import { toPixel, type View } from './map-view.ts';
import type { Corner } from './zone-draft.ts';

type Equipment = Output<'equipment_list'>['data'][number];

/** Positions are read again after this time, in milliseconds. */
const READ_MS = 5_000;
/** Half the size of a mark, and the smallest distance between two marks, in pixels. */
const RADIUS = 13;
const APART = 24;
/** Height of a name, and the width of one letter, in pixels. The names of machines in trouble are larger. */
const NAME = { height: 22, letter: 8.6 };
const TROUBLE_NAME = { height: 32, letter: 12.5 };

/** The corner of the map with its scale. */
const SCALE = (height: number): Box => ({ x: 0, y: height - 36, w: 260, h: 36 });

/** A machine with a position. `old` is the age of its position in words, if the position is too old to be shown as current. */
export interface MapMachine {
  readonly row: MachineRow;
  readonly corner: Corner;
  readonly old: string | null;
}

/** Returns the machines with a position, the most urgent first, and the number of machines without one. */
export function useMapMachines(session: Session, now: number) {
  const { rows, problem } = useMachineRows(session);
  const positions = usePolled((signal) => readAll(session, 'equipment_list', { order: 'asc' }, signal), READ_MS, [
    session,
  ]);
  const byId = new Map((positions.data?.items ?? []).map((one): [string, Equipment] => [one.id, one]));
  const active = (rows ?? []).filter(({ status }) => status !== 'decommissioned');
  const found = active.flatMap((row): MapMachine[] => {
    const machine = byId.get(row.id);
    if (machine?.latitude_deg == null || machine.longitude_deg == null) return [];
    const source = machine.context.fields?.latitude_deg;
    const freshness = valueFreshnessAt('position.latitude', source, now);
    const isOld = freshness !== 'fresh' && freshness !== 'ageing';
    const age = source?.observed_at == null ? t('unknown age') : duration(now - Date.parse(source.observed_at));
    return [{ row, corner: [machine.longitude_deg, machine.latitude_deg], old: isOld ? age : null }];
  });
  const place = ({ row }: MapMachine) => row.trouble?.place ?? Number.MAX_SAFE_INTEGER;
  return {
    machines: found.sort((a, b) => place(a) - place(b)),
    without: positions.data === null || rows === null ? 0 : active.length - found.length,
    isRead: positions.data !== null && rows !== null,
    problem: problem ?? positions.problem,
  };
}

/** A machine at a point of the picture, in pixels. `name` is null if it has no room for its name. */
export interface Spot {
  readonly machine: MapMachine;
  readonly x: number;
  readonly y: number;
  readonly text: string;
  readonly name: Placed | null;
}

/** Places marks so that none covers another, and names so that none covers a mark or a name. The most urgent machines come first. No name covers a box of `taken`. */
export function placeMachines(machines: readonly MapMachine[], view: View, taken: readonly Box[]): readonly Spot[] {
  const area = { w: view.width, h: view.height };
  const inside = machines.flatMap((machine) => {
    const [x, y] = toPixel(view, machine.corner);
    return x < 0 || y < 0 || x > area.w || y > area.h ? [] : [{ machine, x, y }];
  });
  const spread = spreadSpots(inside, APART, RADIUS, area);
  const spots = inside.map(({ machine }, i) => {
    const { x, y } = spread[i] as { x: number; y: number };
    const text = machine.row.unit_number + (machine.old === null ? '' : ` · ${t('{age} ago', { age: machine.old })}`);
    return { machine, x, y, text };
  });
  const names = placeNames(
    spots.map(({ machine, x, y, text }) => {
      const { height, letter } = machine.row.trouble === undefined ? NAME : TROUBLE_NAME;
      return { x, y, w: text.length * letter + 14, h: height };
    }),
    [...taken, SCALE(area.h)],
    area,
    RADIUS,
  );
  return spots.map((spot, i) => ({ ...spot, name: names[i] ?? null }));
}
