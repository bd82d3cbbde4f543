/** The part of a status board above the strip while no machine is in trouble. */
import type { MachineTile } from '#contract/site/live.ts';
import type { Calm } from '#contract/site/trouble.ts';
import { duration, moment } from '#ui/format.ts';
import { t } from '#ui/languages/texts.ts';
import { fitting, textWidth } from '#ui/text/measure.ts';
import { reasonTexts } from '#ui/words.ts';
import type { Moment } from './ageing.ts';
import { Svg } from './marks.tsx';

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
  const [all, heard, age] = [machines.length, ages.length, duration(Math.max(0, ...ages))];
  return heard === all
    ? [t('All {all} machines heard in the last {age}', { all, age }), t('All heard in the last {age}', { age })]
    : [t('{heard} of {all} machines heard in the last {age}', { heard, all, age })];
}

/** The trouble that ended last, in two lines. */
function lastTexts(
  calm: Calm | undefined,
  at: Moment,
  timezone: string | null,
): readonly [unit: string, over: string[]] {
  const last = calm?.last;
  if (last === undefined || timezone === null) return ['', []];
  const took = last.took_ms === null ? '' : t(', took {age}', { age: duration(last.took_ms) });
  const time = moment(last.over_ms, at.now, timezone);
  const short = t('Over at {time}', { time });
  const long = last.owner ? t('Over at {time}, {owner}', { time, owner: last.owner }) : short;
  return [last.unit_number, [`${long}${took}`, long, `${short}${took}`, short]];
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
  const beside = half - 5 - textWidth(`${t('Last trouble:')} ${unit}, `, 3.3, 700);
  const facts = [
    fitting([...over, ''], 3.3, 400, half - 4),
    fitting([...heardTexts(machines, at), ''], 3.3, 400, half - 4),
  ];
  const age = duration(at.now - (calm?.since_ms ?? at.now));
  const more = fine
    ? [t('Nothing has needed attention for {age}.', { age }), t('Calm for {age}.', { age })]
    : [t('{silent} of {all} machines send no data.', { silent, all: machines.length })];
  return (
    <section class="calm">
      <Check />
      <div>
        <h2>{t(fine ? 'All fine' : 'Nothing urgent')}</h2>
        {(calm !== undefined || !fine) && <p>{fitting(more, 3.7, 400, width - half - 22)}</p>}
      </div>
      <div class="last" style={{ width: `calc(${half} * var(--u))` }}>
        {unit !== '' && (
          <p>
            {t('Last trouble:')}{' '}
            <b>{[unit, fitting([...says, ''], 3.3, 700, beside)].filter((text) => text !== '').join(', ')}</b>
          </p>
        )}
        {facts.map((text) => text !== '' && <p key={text}>{text}</p>)}
      </div>
    </section>
  );
}
