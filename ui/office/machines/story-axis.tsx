/** The rows of the story of a machine on one time axis: states, places, signals, and what happened. One cursor goes through all of them. */
import type { ComponentChildren } from 'preact';
import { type SignalName, signalRow } from '#contract/base/signals.ts';
import type { Output } from '#contract/operations.ts';
import { clock, duration, moment } from '#ui/format.ts';
import { officeText } from '#ui/languages/office.ts';
import { t, translated } from '#ui/languages/texts.ts';
import { size } from '#ui/office/base/size.ts';
import { timeTicks } from '#ui/tiles/trend-scale.ts';
import { valueText } from './machine-cells.tsx';
import {
  type CodeTimes,
  codeTimes,
  leftAt,
  limitsOf,
  percentAt,
  placeAt,
  placeOf,
  type Range,
  type Read,
  STATES,
  SYSTEMS,
  stateAt,
  textPlaces,
} from './story-parts.ts';
import { SignalLine, SignalValue } from './story-signal.tsx';
import { shownValue } from './value-age.ts';

type Equipment = Output<'equipment_list'>['data'][number];

const HOUR_MS = 3_600_000;
/** A time later than this, in percent of the axis, has no room for its text beside "now". */
const LAST_TICK = 96;
/** A bar narrower than this, in percent of the axis, has no room for a word. */
const WORD = 16;

/** One row: the name of the system, the name of the row, its drawing, and what stands at the right. */
function Row(props: { system?: string; name: string; children: ComponentChildren; now: ComponentChildren }) {
  return (
    <>
      <span class="story-system">{props.system}</span>
      <span class="story-name">{props.name}</span>
      {props.children}
      <span class="story-now">{props.now}</span>
    </>
  );
}

/** A bar of a ribbon, with a word if it has room. */
interface Bar {
  readonly from: string;
  readonly to: string;
  readonly kind: string;
  readonly text: string;
  /** Height as a part of the row. */
  readonly height: number;
}

function Ribbon({
  name,
  bars,
  range,
  now,
  zone,
}: {
  name: string;
  bars: readonly Bar[];
  range: Range;
  now: number;
  zone: string;
}) {
  return (
    <div class={`story-ribbon ${name}`}>
      {bars.map(({ from, to, kind, text, height }) => {
        const place = placeOf(range, { since: from, until: to });
        const long = t('{text} {age}, from {time}', {
          text,
          age: duration(Date.parse(to) - Date.parse(from)),
          time: moment(Date.parse(from), now, zone),
        });
        return (
          <span
            key={from}
            class="story-bar"
            data-state={kind}
            role="img"
            aria-label={long}
            title={long}
            style={{ left: `${place.left}%`, width: `${place.width}%`, height: `${height * 100}%` }}
          >
            {place.width > WORD && height >= 0.4 && <b class="story-word">{text}</b>}
          </span>
        );
      })}
    </div>
  );
}

interface Item {
  readonly key: string;
  readonly text: string;
  readonly kind: string;
  readonly href?: string;
  readonly since: string | null;
  readonly until: string | null;
}

/** A row of things that happened, each with its time: a bar with its text inside or after it. */
function HappenedRow(props: { name: string; items: readonly Item[]; range: Range; count: string; more: string }) {
  const { items, range } = props;
  const texts = textPlaces(items.map((item) => placeOf(range, item).left));
  return (
    <Row
      name={props.name}
      now={
        <>
          <b class="story-value">{props.count}</b>
          <span class="age">{props.more}</span>
        </>
      }
    >
      <div class="story-items">
        {items.map((item) => {
          const { left, width } = placeOf(range, item);
          return (
            <span
              key={item.key}
              title={item.text}
              class={`story-item ${item.kind}`}
              style={{ left: `${left}%`, width: `${width}%` }}
            />
          );
        })}
        {items.map((item, i) => {
          const place = texts[i];
          return place == null ? null : (
            <span key={item.key} class="story-text" style={{ ...place }}>
              {item.href === undefined ? item.text : <a href={item.href}>{item.text}</a>}
            </span>
          );
        })}
      </div>
    </Row>
  );
}

/** The words of a code that begins later than this, in percent of the axis, end at its start. */
const HALF = 50;
/** The most codes with a row of their own. The list below the axis has all of them. */
const MOST_CODES = 6;

/** A trouble code: a bar from when it was first seen until when it was last seen, with the times at which it was active, and its words. */
function CodeRow({ code, range, zone, isFirst }: { code: CodeTimes; range: Range; zone: string; isFirst: boolean }) {
  const { left, width } = placeOf(range, code);
  const place =
    left > HALF ? { right: `${100 - left}%`, maxWidth: `${left}%` } : { left: `${left}%`, maxWidth: `${100 - left}%` };
  const text = officeText(code.text);
  const until = code.until === null ? t('active') : t('until {time}', { time: clock(Date.parse(code.until), zone) });
  return (
    <Row
      system={isFirst ? t('Codes') : ''}
      name={`SPN ${code.spn ?? t('unknown')} FMI ${code.fmi}`}
      now={
        <>
          <b class="story-value">{until}</b>
          <span class="age">{t('{n} time|{n} times', { n: code.times.length })}</span>
        </>
      }
    >
      <div class="story-items codes" role="img" aria-label={`${text}, ${until}`}>
        <span class="story-text" style={place} title={text}>
          {text}
        </span>
        <span class="story-item code" style={{ left: `${left}%`, width: `${width}%` }} title={text} />
        {code.times.map((time) => {
          const one = placeOf(range, time);
          return (
            <span
              key={time.since}
              class="story-on"
              style={{ left: `${one.left}%`, width: `${one.width}%` }}
              title={text}
            />
          );
        })}
      </div>
    </Row>
  );
}

const openOf = (items: readonly Pick<Item, 'until'>[]) => items.filter(({ until }) => until === null).length;

function Happened({ read: { story, range }, zone }: { read: Read; zone: string }) {
  const codes = codeTimes(story.codes);
  const megabytes = size(story.files.reduce((sum, { bytes }) => sum + bytes, 0));
  return (
    <>
      {codes.length === 0 && (
        <HappenedRow
          name={t('Codes')}
          range={range}
          count={t('{n} open', { n: 0 })}
          more={t('{n} in all', { n: 0 })}
          items={[]}
        />
      )}
      {codes.slice(0, MOST_CODES).map((code, i) => (
        <CodeRow key={code.key} code={code} range={range} zone={zone} isFirst={i === 0} />
      ))}
      <HappenedRow
        name={t('Alerts')}
        range={range}
        count={t('{n} open', { n: openOf(story.alerts) })}
        more={t('{n} in all', { n: story.alerts.length })}
        items={story.alerts.map((one) => ({
          ...one,
          kind: `alert ${one.severity === 'unknown' ? 'critical' : one.severity}`,
          key: one.id,
          href: `#alerts/${one.id}`,
        }))}
      />
      <HappenedRow
        name={t('Repairs')}
        range={range}
        count={t('{n} open', { n: openOf(story.tickets) })}
        more={t('{n} in all', { n: story.tickets.length })}
        items={story.tickets.map((one) => ({ ...one, kind: 'repair', key: one.id, href: `#tickets/${one.id}` }))}
      />
      <HappenedRow
        name={t('Logs')}
        range={range}
        count={t('{n} log|{n} logs', { n: story.files.length })}
        more={story.files.length === 0 ? '' : megabytes}
        items={story.files.map((one) => ({
          ...one,
          text: one.decoded ? (one.name ?? one.id) : t('{name}, not decoded', { name: one.name ?? one.id }),
          kind: one.decoded ? 'file' : 'file waiting',
          key: one.id,
        }))}
      />
    </>
  );
}

interface AxisProps {
  readonly read: Read;
  readonly machine: Equipment;
  readonly at: number | null;
  readonly now: number;
  readonly zone: string;
  onAt(at: number | null): void;
  onWhy(signal: SignalName): void;
}

/** What the machine did and where it was: the two ribbons. */
function Ribbons({ read: { story, range }, at, now, zone }: AxisProps) {
  const moment_ms = at ?? range.to;
  const state = stateAt(story.states, moment_ms);
  const place = placeAt(story.places, moment_ms);
  const shared = { range, now, zone };
  return (
    <>
      <Row
        name={t('State')}
        now={
          <>
            <b class="story-value">{state === undefined ? t('No data') : t(STATES[state.state].text)}</b>
            {state !== undefined && <span class="age">{duration(moment_ms - Date.parse(state.from))}</span>}
          </>
        }
      >
        <Ribbon
          name="states"
          {...shared}
          bars={story.states.map(({ state: kind, ...one }) => ({
            ...one,
            kind,
            text: t(STATES[kind].text),
            height: STATES[kind].height,
          }))}
        />
      </Row>
      {story.places.length > 0 && (
        <Row
          name={t('Place')}
          now={<b class="story-value">{place === undefined ? t('Not known') : (place.name ?? t('On the way'))}</b>}
        >
          <Ribbon
            name="places"
            {...shared}
            bars={story.places.map(({ name, ...one }) => ({
              ...one,
              kind: name === null ? 'way' : 'place',
              text: name ?? t('On the way'),
              height: name === null ? 0.2 : 0.8,
            }))}
          />
        </Row>
      )}
    </>
  );
}

/** All rows on one time axis, and the cursor through all of them. */
export function Axis(props: AxisProps) {
  const { read, machine, at, now, zone } = props;
  const { story, series, range, step_ms } = read;
  const long = range.to - range.from > 36 * HOUR_MS;
  const day = (ms: number) => moment(ms, now, zone).replace(/ \S+$/, '');
  return (
    <div
      class="story-axis"
      onPointerMove={(event) => {
        const plot = event.currentTarget.querySelector('.states')?.getBoundingClientRect();
        if (plot === undefined) return;
        const part = (event.clientX - plot.left) / plot.width;
        props.onAt(part < 0 || part > 1 ? null : range.from + part * (range.to - range.from));
      }}
      onPointerLeave={() => props.onAt(null)}
    >
      <Row
        name=""
        now={<span class="aside">{at === null ? t('now') : t('at {time}', { time: clock(at, zone) })}</span>}
      >
        <div class="story-times">
          {timeTicks(range.from / 1000, range.to / 1000, 6, zone)
            .filter((s) => percentAt(range, s * 1000) < LAST_TICK)
            .map((s) => (
              <span key={s} class="story-time" style={leftAt(range, s * 1000)}>
                {long ? day(s * 1000) : clock(s * 1000, zone)}
              </span>
            ))}
        </div>
      </Row>
      <Ribbons {...props} />
      {SYSTEMS.flatMap(([system, signals]) =>
        signals
          .filter((signal) => valueText(machine, signalRow(signal).field) !== null)
          .map((signal, i) => {
            const one = series.find((found) => found.signal === signal);
            const { label, field } = signalRow(signal);
            const { freshness } = shownValue(machine, signal, valueText(machine, field), now);
            return (
              <Row
                key={signal}
                system={i === 0 ? t(system) : ''}
                name={translated(label)}
                now={
                  <SignalValue
                    machine={machine}
                    signal={signal}
                    series={one}
                    step_ms={step_ms}
                    at={at}
                    now={now}
                    onWhy={() => props.onWhy(signal)}
                  />
                }
              >
                {one === undefined ? (
                  <div class="story-line" />
                ) : (
                  <SignalLine
                    series={one}
                    limits={limitsOf(story, signal)}
                    step_ms={step_ms}
                    range={range}
                    old={freshness === 'stale' || freshness === 'none'}
                  />
                )}
              </Row>
            );
          }),
      )}
      <Happened read={read} zone={zone} />
      {at !== null && (
        <div class="story-cursor-line" aria-hidden="true">
          <i style={leftAt(range, at)} />
        </div>
      )}
    </div>
  );
}
