/** The machines in trouble on a status board: the most urgent one in large type, the next ones in rows, the others in a line. */
import { useLayoutEffect, useState } from 'preact/hooks';
import type { MachineTile } from '#contract/site/live.ts';
import type { Calm, Reason, ValueLine } from '#contract/site/trouble.ts';
import { fill, REASON_WORDS } from '#contract/work/attention-words.ts';
import { afterPaint } from '#ui/after-paint.ts';
import { clock, duration, moment } from '#ui/format.ts';
import { isolated, t, translated } from '#ui/languages/texts.ts';
import { fittedSize, fitting, type Size, shortened, textWidth } from '#ui/text/measure.ts';
import { reasonTexts } from '#ui/words.ts';
import type { Moment } from './ageing.ts';
import { CalmPart, Check } from './calm.tsx';
import { drawMachine, markOf } from './machine-drawing.ts';
import { AlertMark } from './marks.tsx';
import { Foot } from './trouble-foot.tsx';
import { alsoText, fitSentence, PROBABLY, STILL } from './trouble-words.ts';
import { GAP, MORE, type WallLayout } from './wall-layout.ts';

interface TroubleProps {
  readonly machine: MachineTile;
  readonly at: Moment;
  /** Null until the first picture is drawn, because the first use of a time zone is slow on a TV. */
  readonly timezone: string | null;
}

/** What is drawn of a machine in trouble. */
function troubleOf({ machine, at, timezone }: TroubleProps) {
  const drawing = drawMachine(machine, at);
  const over = machine.attention?.over ?? null;
  const reason = over === null ? (drawing.reason ?? machine.reasons[0] ?? null) : null;
  const grade = reason?.grade ?? 'over';
  return { drawing, reason, over, grade, texts: textsOf(over, reason, at, timezone) };
}

type Over = NonNullable<MachineTile['attention']>['over'] | null;

function textsOf(over: Over, reason: Reason | null, { now, live }: Moment, timezone: string | null): string[] {
  if (reason !== null) return reasonTexts(reason, !live);
  if (!over) return [''];
  const short = t('Back to normal');
  return timezone === null
    ? [short]
    : [t('Back to normal since {time}', { time: moment(over.at_ms, now, timezone) }), short];
}

/** Returns what a machine needed that needs nobody any more, the longest text first. */
function wasTexts(over: Over): string[] {
  return over?.says === undefined ? [''] : reasonTexts({ says: over.says }).map((text) => t('Was: {text}', { text }));
}

/**
 * Returns since when, the longest text first; for a machine that needs nobody any more, what it was. Without the gateway, returns the time
 * of the last message.
 */
function sinceTexts(reason: Reason | null, over: Over, at: Moment, timezone: string | null): string[] {
  if (!at.live && timezone !== null) return [t('last known {time}', { time: clock(at.lastMessageMs, timezone) })];
  if (reason === null) return wasTexts(over);
  if (reason.since_ms === null) return [''];
  const age = duration(at.now - reason.since_ms);
  const short = t('for {age}', { age });
  if (timezone === null) return [short];
  return [t('For {age}, since {time}', { age, time: moment(reason.since_ms, at.now, timezone) }), short];
}

/** Returns the facts of the second line: the probable cause, whether it still runs, the limit, and the further reasons. */
function detailsOf({ reasons }: MachineTile, reason: Reason | null, sentence: string, { now, live }: Moment): string[] {
  if (reason === null) return [];
  if (!live) return [t('Treat as still true until somebody has looked.')];
  const { limit, unit, speed, speed_unit = 'km/h' } = reason.says.params;
  const isSaid = reason.runs !== undefined && sentence.includes(t(REASON_WORDS.runs[reason.runs]));
  const { probably } = reason;
  return [
    ...(probably === undefined ? [] : [fill(translated(PROBABLY[probably.code]), probably.params)]),
    ...(reason.runs === undefined || isSaid ? [] : [t(STILL[reason.runs])]),
    ...(speed === undefined ? [] : [t('Now {speed} {unit}.', { speed, unit: speed_unit })]),
    ...(limit === undefined || unit === undefined ? [] : [t('Limit {limit} {unit}.', { limit, unit })]),
    ...reasons.filter((other) => other !== reason && other.grade !== 'note').map((other) => alsoText(other, now)),
  ];
}

/** Returns as many of the texts as fit the width together. */
function joined(texts: readonly string[], size: number, width: number): string {
  let all = '';
  for (const text of texts) {
    const longer = all === '' ? text : `${all} ${text}`;
    if (textWidth(longer, size, 400) <= width) all = longer;
  }
  return all;
}

/** Returns the text beside the line: the value and its limit. */
function lineTexts({ says: { params } }: Reason): readonly [string, string] {
  const { value = '', unit = '', limit = '' } = params;
  return [isolated(`${value} ${unit}`), t('limit {limit}', { limit })];
}

const kindText = (kind: string) => kind.charAt(0).toUpperCase() + kind.slice(1).replaceAll('_', ' ');

/** The value of a reason over the last half hour, with its limit. All lengths are in u. */
function Line({ line, size, reason }: { line: ValueLine; size: Size; reason: Reason }) {
  const known = line.v.filter((value) => value !== null);
  const all = [...known, line.limit];
  const [least, most] = [Math.min(...all), Math.max(...all)];
  const span = most - least || 1;
  const x = (i: number) => (i / (line.v.length - 1)) * size.w;
  const y = (value: number) => 0.6 + (1 - (value - least) / span) * (size.h - 1.2);
  let path = '';
  let last: readonly [number, number] | null = null;
  line.v.forEach((value, i) => {
    if (value === null) return;
    const gap = i === 0 || line.v[i - 1] === null;
    last = [x(i), y(value)];
    path += `${gap ? 'M' : 'L'}${last.map((n) => n.toFixed(2)).join(' ')}`;
  });
  const limit = y(line.limit);
  const beyond = line.below ? { y: limit, h: size.h - limit } : { y: 0, h: limit };
  const [cx, cy] = last ?? [0, 0];
  return (
    <svg
      class="value-line"
      viewBox={`0 0 ${size.w} ${size.h}`}
      style={{ height: `calc(${size.h} * var(--u))` }}
      aria-hidden="true"
    >
      <rect class="beyond" x="0" y={beyond.y} width={size.w} height={Math.max(0, beyond.h)} />
      <path class="bound" d={`M0 ${limit}H${size.w}`} />
      <path class="value" d={path} />
      {last !== null && <circle class={reason.grade} cx={cx} cy={cy} r="0.8" />}
    </svg>
  );
}

/** The tile of the most urgent machine. */
function Hero(props: TroubleProps & { readonly size: Size; readonly first: boolean }) {
  const { machine, at, size } = props;
  const { drawing, reason, over, grade, texts } = troubleOf(props);
  const inner = size.w - 6.4;
  const most = size.h >= 48 ? 13 : size.h >= 30 ? 11 : 8;
  const label =
    reason === null ? null : t(!at.live ? 'Was most urgent' : grade === 'act' ? 'Most urgent' : 'Look first');
  const where = [
    machine.attention?.kind === undefined ? '' : translated(kindText(machine.attention.kind)),
    machine.attention?.location ?? '',
  ];
  const beside = Math.min(
    30,
    Math.max(textWidth(label ?? '', 3.4, 700) + 4, ...where.map((text) => textWidth(text, 2.8, 400) + 2)),
  );
  const nameSize = fittedSize(machine.unit_number, most, 5.2, 700, inner - 11 - beside);
  const name = shortened(machine.unit_number, nameSize, 700, inner - 11 - beside);
  const sentence = fitSentence(texts, inner, 6.1, 4.6, size.h >= 36);
  const under = size.h - 3.4 - most - sentence.lines.length * 1.15 * sentence.size - 5.6;
  const facts = detailsOf(machine, reason, sentence.lines.join(' '), at);
  const details = under < 6 ? '' : joined(facts, 3.4, inner);
  const left = under - 5;
  const line = at.live ? machine.attention?.line : undefined;
  const [value, limit] = reason === null ? ['', ''] : lineTexts(reason);
  const valueWidth = Math.max(textWidth(value, 3.4, 700), textWidth(limit, 2.8, 400)) + 1;
  const since = sinceTexts(reason, over, at, props.timezone);
  return (
    <article
      class={`trouble urgent${props.first ? ' first' : ''}`}
      data-grade={grade}
      data-cause={reason?.cause}
      data-fresh={drawing.freshness}
      style={{ width: `calc(${size.w} * var(--u))` }}
      aria-label={`${label ?? ''} ${machine.unit_number}: ${texts[0]}`}
    >
      <div class="name">
        {reason === null ? <Check /> : <AlertMark mark={markOf(reason)} />}
        <h2 style={{ fontSize: `calc(${nameSize} * var(--u))`, height: `calc(${most} * var(--u))` }}>{name}</h2>
        <div class="where">
          {label !== null && <b class="label-word">{label}</b>}
          {where.map((text) => text !== '' && <span key={text}>{shortened(text, 2.8, 400, beside)}</span>)}
        </div>
      </div>
      <div class="sentence" style={{ fontSize: `calc(${sentence.size} * var(--u))` }}>
        {sentence.lines.map((text) => (
          <span key={text}>{text}</span>
        ))}
      </div>
      {details !== '' && <div class="details">{details}</div>}
      {line !== undefined && reason !== null && left > 7 && (
        <div class="chart">
          <Line line={line} size={{ w: inner - valueWidth - 1, h: Math.min(18, left - 1) }} reason={reason} />
          <span class="ends">
            <b>{value}</b>
            <span>{limit}</span>
          </span>
        </div>
      )}
      <Foot
        reason={reason}
        over={over?.owner ?? null}
        live={at.live}
        since={since}
        size={3.4}
        width={inner}
        labelled={false}
      />
    </article>
  );
}

/** The most urgent machine has less than this height, in u, only on a full board that is not live. It is then drawn as a row. */
const SMALL_HERO = 22;
/** A row of at least this height, in u, has its texts below each other in larger type. */
const TALL = 24;

/** A row of one machine. `named` is the width of the column of names; null if the texts are below each other, also in a low row. */
function Row(props: TroubleProps & { readonly size: Size; readonly named: number | null }) {
  const { machine, size } = props;
  const { drawing, reason, over, grade, texts } = troubleOf(props);
  const large = size.h >= TALL;
  const tall = large || props.named === null;
  // A row below the others has its place beside its name.
  const where = props.named === null ? fitting([machine.attention?.location ?? '', ''], 2.8, 400, size.w * 0.4) : '';
  const named = tall ? size.w - 14 - textWidth(where, 2.8, 400) : (props.named ?? 0);
  const nameSize = fittedSize(machine.unit_number, large ? 7.8 : 5.6, 3.7, 700, named);
  const room = tall ? size.w - 5.4 : size.w - named - 12;
  const sentence = fitSentence(texts, room, large ? 4.6 : 3.5, large ? 3.7 : 2.9, large);
  const small = large ? 3.3 : 2.8;
  const since = sinceTexts(reason, over, props.at, props.timezone);
  return (
    <article
      class={tall ? 'trouble next tall' : 'trouble next'}
      data-grade={grade}
      data-cause={reason?.cause}
      data-fresh={drawing.freshness}
      style={{ height: `calc(${size.h} * var(--u))` }}
      aria-label={`${machine.unit_number}: ${texts[0]}`}
    >
      <div class="name" style={tall ? {} : { width: `calc(${named + 7} * var(--u))` }}>
        {reason === null ? <Check /> : <AlertMark mark={markOf(reason)} />}
        <h2 style={{ fontSize: `calc(${nameSize} * var(--u))` }}>
          {shortened(machine.unit_number, nameSize, 700, named)}
        </h2>
        {where !== '' && <span class="where">{where}</span>}
      </div>
      <div class="body">
        <div class="sentence" style={{ fontSize: `calc(${sentence.size} * var(--u))` }}>
          {sentence.lines.map((text) => (
            <span key={text}>{text}</span>
          ))}
        </div>
        <Foot
          reason={reason}
          over={over?.owner ?? null}
          live={props.at.live}
          since={large ? since : since.slice(-1)}
          size={small}
          width={room}
          labelled={grade === 'act' && !tall}
        />
      </div>
    </article>
  );
}

/** The line with the machines that have no row. */
function More({ machines, at, width }: { machines: readonly MachineTile[]; at: Moment; width: number }) {
  const size = 3;
  const head = t('{count} more:', { count: machines.length });
  // Every machine is named, if there is space; the space that is left is for what they say.
  const whole = width - textWidth(head, size, 600) - 2;
  const nameOf = ({ unit_number }: MachineTile) => textWidth(unit_number, size, 700) + 6.5;
  const named = machines.reduce((sum, machine) => sum + nameOf(machine), 0);
  let left = named <= whole ? whole - named : whole - 14;
  const items = machines.flatMap((machine, i) => {
    if (named > whole) {
      left -= nameOf(machine);
      return left < 0 ? [] : [{ machine, text: '' }];
    }
    const { texts } = troubleOf({ machine, at, timezone: null });
    const text = fitting([...texts, ''], size, 400, left / (machines.length - i) - 1);
    left -= textWidth(text, size, 400) + 1;
    return [{ machine, text }];
  });
  const rest = machines.length - items.length;
  return (
    <p class="others">
      <b>{head}</b>
      {items.map(({ machine, text }) => {
        const [reason] = machine.reasons;
        return (
          <span key={machine.id} class="other">
            {reason === undefined ? <Check /> : <AlertMark mark={markOf(reason)} />}
            <b>{machine.unit_number}</b>
            <span class="says">{text}</span>
          </span>
        );
      })}
      {rest > 0 && <span>{t('and {count} more', { count: rest })}</span>}
    </p>
  );
}

/** The smallest height of a row of the list beside a map, in u. */
const LIST_ROW = 14;

/** The machines in trouble beside a map: a row for each, and the number of those that do not fit. */
export function TroubleList(props: {
  readonly machines: readonly MachineTile[];
  /** Number of further machines in trouble. */
  readonly more: number;
  readonly size: Size;
  readonly at: Moment;
  readonly timezone: string;
}) {
  const { machines, size, at, timezone } = props;
  const rowsIn = (height: number) => Math.max(0, Math.floor((height + GAP) / (LIST_ROW + GAP)));
  const all = machines.length + props.more;
  const room = rowsIn(size.h) < all ? size.h - MORE - GAP : size.h;
  const shown = machines.slice(0, rowsIn(room));
  const rest = all - shown.length;
  const row = { w: size.w - GAP, h: Math.min(TALL - 1, (room + GAP) / shown.length - GAP) };
  return (
    <div class="rows map-list" style={{ width: `calc(${size.w} * var(--u))` }}>
      {shown.map((machine) => (
        <Row key={machine.id} machine={machine} at={at} timezone={timezone} size={row} named={null} />
      ))}
      {rest > 0 && <p>{t('and {count} more', { count: rest })}</p>}
    </div>
  );
}

/** The part of a status board above the strip. */
export function Upper(props: {
  readonly troubled: readonly MachineTile[];
  readonly machines: readonly MachineTile[];
  readonly silent: number;
  readonly calm: Calm | undefined;
  readonly layout: WallLayout;
  readonly width: number;
  readonly at: Moment;
  readonly timezone: string;
  readonly first: string | null;
}) {
  const { troubled, layout, width, at } = props;
  const [warm, setWarm] = useState(false);
  useLayoutEffect(() => afterPaint(() => setWarm(true)), []);
  const timezone = warm ? props.timezone : null;
  const [hero] = troubled;
  const { machines, silent, calm } = props;
  if (hero === undefined) return <CalmPart {...{ machines, silent, calm, at, width, timezone }} />;
  const { rows, upper } = layout;
  const beside = troubled.slice(1, 1 + rows);
  const more = troubled.slice(1 + rows);
  const height = upper - (more.length > 0 ? MORE : 0);
  const heroWidth = beside.length === 0 ? width : (width - GAP) * (layout.kind === 'large' ? 0.52 : 0.5);
  const row = { w: width - heroWidth - GAP, h: (height - GAP * (rows - 1)) / Math.max(1, rows) };
  const named = Math.min(
    24,
    Math.max(...[hero, ...beside].map(({ unit_number }) => textWidth(unit_number, 5.6, 700)), 10),
  );
  return (
    <>
      <div class="upper" style={{ height: `calc(${height} * var(--u))` }}>
        {height < SMALL_HERO ? (
          <div style={{ width: `calc(${heroWidth} * var(--u))` }}>
            <Row
              key={hero.id}
              machine={hero}
              at={at}
              timezone={timezone}
              size={{ w: heroWidth, h: height }}
              named={named}
            />
          </div>
        ) : (
          <Hero
            key={hero.id}
            machine={hero}
            at={at}
            timezone={timezone}
            size={{ w: heroWidth, h: height }}
            first={hero.id === props.first}
          />
        )}
        <div class="rows">
          {beside.map((machine) => (
            <Row key={machine.id} machine={machine} at={at} timezone={timezone} size={row} named={named} />
          ))}
        </div>
      </div>
      {more.length > 0 && <More machines={more} at={at} width={width} />}
    </>
  );
}
