/** The default checklists of pre-start inspections. A project gets them only when a person asks for them. */
import type { CHECKLIST_KINDS } from '#contract/work/inspection.ts';

type Kind = (typeof CHECKLIST_KINDS)[number];

/** An item of a default checklist. */
interface Item {
  readonly text: string;
  readonly hint: string;
  readonly critical: boolean;
}

const stop = (text: string, hint = ''): Item => ({ text, hint, critical: true });
const check = (text: string, hint = ''): Item => ({ text, hint, critical: false });

/** What every machine with a cab and a diesel engine needs. */
const WALK_AROUND: readonly Item[] = [
  check('Leaks under the machine', 'Oil, coolant, fuel, hydraulic oil'),
  check('Engine oil level'),
  check('Coolant level', 'Look only; do not open a hot radiator'),
  check('Hydraulic oil level'),
  check('Belts, hoses and guards'),
  stop('Fire extinguisher and fire suppression', 'Charged, sealed, in its place'),
  check('Steps, ladders and handrails'),
];
const CAB: readonly Item[] = [
  stop('Seat belt'),
  check('Windscreen, mirrors and cameras', 'Clean and complete'),
  stop('Horn'),
  stop('Reverse alarm'),
  check('Lights and beacon'),
  check('Two-way radio'),
  stop('Warning lamps after the start', 'No red lamp stays on'),
];
const WHEELS: readonly Item[] = [
  stop('Tyres', 'Cuts, pressure, stones between dual tyres'),
  stop('Wheel nuts and rims'),
];
const BRAKES: readonly Item[] = [
  stop('Service brake', 'Test on level ground'),
  stop('Parking brake'),
  stop('Steering'),
];
const TRACKS: readonly Item[] = [check('Tracks, rollers and sprockets', 'Tension, loose bolts')];

const DEFAULTS: Readonly<Record<Kind, { readonly name: string; readonly items: readonly Item[] }>> = {
  haul_truck: {
    name: 'Haul truck, before the shift',
    items: [
      ...WALK_AROUND,
      ...WHEELS,
      check('Body, hoist cylinders and pins'),
      check('Suspension cylinders'),
      ...CAB,
      ...BRAKES,
      stop('Retarder'),
      stop('Emergency steering'),
    ],
  },
  excavator: {
    name: 'Excavator, before the shift',
    items: [
      ...WALK_AROUND,
      ...TRACKS,
      check('Boom, stick and bucket', 'Cracks, pins, teeth'),
      stop('Swing brake'),
      ...CAB,
      stop('Hydraulic lockout lever'),
    ],
  },
  wheel_loader: {
    name: 'Wheel loader, before the shift',
    items: [
      ...WALK_AROUND,
      ...WHEELS,
      check('Bucket, lift arms and pins'),
      stop('Articulation joint and lock'),
      ...CAB,
      ...BRAKES,
    ],
  },
  dozer: {
    name: 'Dozer, before the shift',
    items: [...WALK_AROUND, ...TRACKS, check('Blade and ripper', 'Edges, pins, cylinders'), ...CAB, ...BRAKES],
  },
  grader: {
    name: 'Grader, before the shift',
    items: [...WALK_AROUND, ...WHEELS, check('Blade, circle and drawbar'), ...CAB, ...BRAKES],
  },
  drill: {
    name: 'Drill, before the shift',
    items: [
      ...WALK_AROUND,
      ...TRACKS,
      stop('Mast, pins and mast lock'),
      check('Drill string and carousel'),
      stop('Emergency stops'),
      stop('Guards of rotating parts'),
      check('Dust suppression'),
      ...CAB,
    ],
  },
};

/** Returns the default checklist of a kind of machines. */
export function defaultChecklist(kind: Kind): { readonly name: string; readonly items: readonly Item[] } {
  return DEFAULTS[kind];
}
