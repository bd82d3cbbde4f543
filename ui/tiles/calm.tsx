/** The part of a status board above the strip while no machine is in trouble. */
import type { MachineTile } from '#contract/site/live.ts';
import type { Calm } from '#contract/site/trouble.ts';
import { duration, moment } from '#ui/format.ts';
import { fitting, textWidth } from '#ui/text/measure.ts';
import { fill, reasonTexts } from '#ui/words.ts';
import type { Moment } from './ageing.ts';
import { Svg } from './marks.tsx';
import { board } from './trouble-words.ts';

/** A ring with a tick: nothing needs attention. */
export const Check = () => (
  <Svg name="check">
    <circle class="line" cx="12" cy="12" r="10" stroke-width="2" />
    <path class="line" d="M7.500 12.500l3 3 6-7" stroke-width="2.6" />
  </Svg>
);

/** How many machines have sent data, and when the least recent of them did. */
function heardTexts(machines: readonly MachineTile[], { now }: Moment): string[] {
  const ages = machines.flatMap(({ freshness, last_data_ms }) =>
    (freshness === 'fresh' || freshness === 'ageing') && last_data_ms !== null ? [now - last_data_ms] : [],
  );
  if (ages.length === 0) return [];
  const facts = { all: machines.length, heard: ages.length, age: duration(Math.max(0, ...ages)) };
  return (ages.length === machines.length ? board.heard : [board.heard_some]).map((text) => fill(text, facts));
}

/** The trouble that ended last, in two lines. */
function lastTexts(
  calm: Calm | undefined,
  at: Moment,
  timezone: string | null,
): readonly [unit: string, over: string[]] {
  const last = calm?.last;
  if (last === undefined || timezone === null) return ['', []];
  const took = last.took_ms === null ? '' : fill(board.took, { age: duration(last.took_ms) });
  const facts = { time: moment(last.over_ms, at.now, timezone), owner: last.owner || undefined };
  const [long = '', short = ''] = board.last_over.map((text) => fill(text, facts));
  return [last.unit_number, [...(last.owner ? [`${long}${took}`, long] : []), `${short}${took}`, short]];
}

/** Nothing is in trouble: since when, and what was last; or how many machines send no data. */
export function CalmPart(props: {
  readonly machines: readonly MachineTile[];
  readonly silent: number;
  readonly calm: Calm | undefined;
  readonly at: Moment;
  readonly width: number;
  readonly timezone: string | null;
}) {
  const { machines, silent, calm, at, width } = props;
  const fine = silent === 0;
  const half = width * 0.36;
  const [unit, over] = lastTexts(calm, at, props.timezone);
  const says = unit === '' || calm?.last === undefined ? [] : reasonTexts({ says: calm.last.says });
  const beside = half - 5 - textWidth(`${board.last} ${unit}, `, 3.3, 700);
  const facts = [
    fitting([...over, ''], 3.3, 400, half - 4),
    fitting([...heardTexts(machines, at), ''], 3.3, 400, half - 4),
  ];
  const more = fine
    ? board.calm_more.map((text) => fill(text, { age: duration(at.now - (calm?.since_ms ?? at.now)) }))
    : [fill(board.not_calm_more, { all: machines.length, silent })];
  return (
    <section class="calm">
      <Check />
      <div>
        <h2>{fine ? board.calm : board.not_calm}</h2>
        {(calm !== undefined || !fine) && <p>{fitting(more, 3.7, 400, width - half - 22)}</p>}
      </div>
      <div class="last" style={{ width: `calc(${half} * var(--u))` }}>
        {unit !== '' && (
          <p>
            {board.last}{' '}
            <b>{[unit, fitting([...says, ''], 3.3, 700, beside)].filter((text) => text !== '').join(', ')}</b>
          </p>
        )}
        {facts.map((text) => text !== '' && <p key={text}>{text}</p>)}
      </div>
    </section>
  );
}
