/** Counts the machines of a board by what they need. */
import type { MachineTile } from '#contract/site/live.ts';
import type { Moment } from './ageing.ts';
import { drawMachine } from './machine-drawing.ts';

/** How many machines are in each state. */
export interface Counts {
  readonly act: number;
  readonly look: number;
  readonly fine: number;
  /** Machines that are not in trouble and send no data. */
  readonly silent: number;
}

/** Counts the machines at this moment. */
export function countsOf(machines: readonly MachineTile[], at: Moment): Counts {
  const counts = { act: 0, look: 0, fine: 0, silent: 0 };
  for (const machine of machines) {
    const { reason, freshness } = drawMachine(machine, at);
    const current = freshness === 'fresh' || freshness === 'ageing' || machine.status === 'maintenance';
    if (machine.attention?.place != null && machine.attention.over === undefined)
      counts[reason?.grade === 'act' ? 'act' : 'look'] += 1;
    else counts[current ? 'fine' : 'silent'] += 1;
  }
  return counts;
}
