/**
 * Remembers what a person saw in the draft of a shift, and how machines had spent the shift of a report when it was submitted. The records
 * stay on this gateway.
 */
import type { CallContext } from '#contract/context.ts';
import type { ShiftSnapshot } from './shift-classes.ts';

/** A look at the draft of one shift. */
interface Look extends ShiftSnapshot {
  readonly shift: string;
  readonly date: string;
}

/** The record of the looks of one person at the drafts of one location. */
interface LooksData {
  readonly looks: readonly Look[];
}

/** The record keeps the looks at this many shifts of a location, the newest. So the looks of a person need a limited space. */
const MOST_SHIFTS = 4;

interface DraftOf {
  readonly location_id: string;
  readonly shift: string;
  readonly date: string;
}

const looksId = ({ caller }: CallContext, location_id: string) =>
  `shift_looks_${caller.id ?? caller.kind}_${location_id}`;
const basisId = (report_id: string) => `shift_basis_${report_id}`;

const isOf = (look: Look, { shift, date }: DraftOf) => look.shift === shift && look.date === date;

/** Returns the last look of the caller at the draft of this shift. */
export async function lastLook(context: CallContext, of: DraftOf): Promise<ShiftSnapshot | undefined> {
  const record = await context.view.get<LooksData>('local', looksId(context, of.location_id));
  return record?.data.looks.find((look) => isOf(look, of));
}

/** Stages the look of the caller at the draft of this shift. It replaces the earlier look at the same shift. */
export async function stageLook(context: CallContext, of: DraftOf, snapshot: ShiftSnapshot): Promise<void> {
  const { view } = context;
  const id = looksId(context, of.location_id);
  const current = await view.get<LooksData>('local', id);
  const others = (current?.data.looks ?? []).filter((look) => !isOf(look, of));
  const looks = [{ ...snapshot, shift: of.shift, date: of.date }, ...others].slice(0, MOST_SHIFTS);
  view.stage<LooksData>({
    collection: 'local',
    id,
    object: 'shift_looks',
    data: { looks },
    expected: current?.revision ?? 0,
    current,
  });
}

/** Returns how the machines had spent the shift when the report was submitted; undefined for reports of earlier builds. */
export async function basisOf(context: CallContext, report_id: string): Promise<ShiftSnapshot | undefined> {
  return (await context.view.get<ShiftSnapshot>('local', basisId(report_id)))?.data;
}

/** Stages how the machines have spent the shift of a new report. */
export function stageBasis(context: CallContext, report_id: string, snapshot: ShiftSnapshot): void {
  context.view.stage<ShiftSnapshot>({
    collection: 'local',
    id: basisId(report_id),
    object: 'shift_basis',
    data: snapshot,
    expected: 0,
  });
}
