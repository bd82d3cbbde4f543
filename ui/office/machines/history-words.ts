/** The sentences about the values of a history chart. */
import type { CorrectedTimes, TelemetrySeries } from '#contract/fleet/telemetry.ts';
import { duration } from '#ui/format.ts';

type Times = Pick<TelemetrySeries, 'states' | 'states_total'>;

/** Returns the size of a clock offset: seconds with one decimal up to a minute, then the usual words for a duration. */
function offsetText(ms: number): string {
  return ms < 60_000 ? `${Number((ms / 1000).toFixed(1))} s` : duration(ms);
}

/** Returns a sentence about values whose times were corrected. */
export function correctedWords({ clock, values, least_ms, most_ms, uncertainty_ms }: CorrectedTimes): string {
  const by = clock === 'gnss' ? 'GNSS time' : 'the clock of a control unit (J1939 PGN 65254)';
  const offsets = [-most_ms, -least_ms].map((ms) => Math.abs(ms)).sort((a, b) => a - b) as [number, number];
  const [least, most] = offsets.map(offsetText) as [string, string];
  const size = least === most ? most : `${least} to ${most}`;
  const side = most_ms <= 0 ? 'ahead of' : least_ms >= 0 ? 'behind' : 'off';
  return `${values.toLocaleString('en')} ${values === 1 ? 'value has a corrected time' : 'values have corrected times'}: the clock of the logger was ${size} ${side} ${by}. The corrected times are exact to ${offsetText(uncertainty_ms)}.`;
}

const STATE_WORDS: Readonly<Record<Times['states'][number]['state'], string>> = {
  unavailable: '"not available"',
  error: '"error"',
  specific: 'a special code',
  reserved: 'a reserved code',
};

/** Returns a sentence for each state that a control unit reported instead of values: how long, and when first and last. */
export function stateWords({ states, states_total }: Times, when: (t: number) => string): string[] {
  const kinds = Map.groupBy(states, ({ state }) => state);
  const lines = [...kinds].map(([state, of]) => {
    const [first, last] = [of[0], of.at(-1)] as [(typeof of)[0], (typeof of)[0]];
    const sum = of.reduce((all, { from, to }) => all + to - from + 1_000, 0);
    const times = of.length === 1 ? 'once' : `${of.length} times`;
    return `The control unit reported ${STATE_WORDS[state]} instead of a value ${times}, ${duration(sum)} in all, from ${when(first.from)} to ${when(last.to)} (marked at the bottom of the chart).`;
  });
  if (states_total > states.length)
    lines.push(`There are ${states_total - states.length} more such times. Select a shorter range.`);
  return lines;
}
