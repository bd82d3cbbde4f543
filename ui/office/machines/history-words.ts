/** The sentences about the values of a history chart. */
import type { CorrectedTimes, TelemetrySeries } from '#contract/fleet/telemetry.ts';
import { duration } from '#ui/format.ts';
import { language, type Text, t, type Word } from '#ui/languages/texts.ts';

type Times = Pick<TelemetrySeries, 'states' | 'states_total'>;

/** Returns the size of a clock offset: seconds with one decimal up to a minute, then the usual words for a duration. */
function offsetText(ms: number): string {
  return ms < 60_000 ? `${Number((ms / 1000).toFixed(1))} s` : duration(ms);
}

const CORRECTED = {
  ahead:
    '{n} value has a corrected time: the clock of the logger was {size} ahead of {clock}. The corrected times are exact to {exact}.|{n} values have corrected times: the clock of the logger was {size} ahead of {clock}. The corrected times are exact to {exact}.',
  behind:
    '{n} value has a corrected time: the clock of the logger was {size} behind {clock}. The corrected times are exact to {exact}.|{n} values have corrected times: the clock of the logger was {size} behind {clock}. The corrected times are exact to {exact}.',
  off: '{n} value has a corrected time: the clock of the logger was {size} off {clock}. The corrected times are exact to {exact}.|{n} values have corrected times: the clock of the logger was {size} off {clock}. The corrected times are exact to {exact}.',
} as const satisfies Readonly<Record<string, Text>>;

/** Returns a sentence about values whose times were corrected. */
export function correctedWords({ clock, values, least_ms, most_ms, uncertainty_ms }: CorrectedTimes): string {
  const by = clock === 'gnss' ? t('GNSS time') : t('the clock of a control unit (J1939 PGN 65254)');
  const offsets = [-most_ms, -least_ms].map((ms) => Math.abs(ms)).sort((a, b) => a - b) as [number, number];
  const [least, most] = offsets.map(offsetText) as [string, string];
  const size = least === most ? most : t('{from} to {to}', { from: least, to: most });
  const how = most_ms <= 0 ? CORRECTED.ahead : least_ms >= 0 ? CORRECTED.behind : CORRECTED.off;
  const text = t(how, { n: values, size, clock: by, exact: offsetText(uncertainty_ms) });
  return text.replace(String(values), values.toLocaleString(language().tag));
}

const STATE_WORDS: Readonly<Record<Times['states'][number]['state'], Word>> = {
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
    return t(
      'The control unit reported {state} instead of a value once, {age} in all, from {from} to {to} (marked at the bottom of the chart).|The control unit reported {state} instead of a value {n} times, {age} in all, from {from} to {to} (marked at the bottom of the chart).',
      { n: of.length, state: t(STATE_WORDS[state]), age: duration(sum), from: when(first.from), to: when(last.to) },
    );
  });
  if (states_total > states.length)
    lines.push(
      t('There are {n} more such times. Select a shorter range.', {
        n: states_total - states.length,
      }),
    );
  return lines;
}
