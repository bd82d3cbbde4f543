/** The story of a machine: its time axis, its trouble codes, what happened, and why a value is missing. */
import { useState } from 'preact/hooks';
import { type SignalName, signalRow } from '#contract/base/signals.ts';
import type { Output } from '#contract/operations.ts';
import { moment } from '#ui/format.ts';
import { t, type Word } from '#ui/languages/texts.ts';
import { Problem } from '#ui/office/base/parts.tsx';
import type { Session } from '#ui/office/base/session.ts';
import { useNow, usePolled } from '#ui/office/base/use.ts';
import { valueText } from './machine-cells.tsx';
import { Axis } from './story-axis.tsx';
import { Codes } from './story-codes.tsx';
import { StoryDrop } from './story-drop.tsx';
import { StoryLog } from './story-log.tsx';
import { percentAt, type Read, STATES, type StoryPlace, SYSTEMS, stateAt, storyHash } from './story-parts.ts';
import { StoryWhy } from './story-why.tsx';

type Equipment = Output<'equipment_list'>['data'][number];

const HOUR_MS = 3_600_000;
const READ_MS = 15_000;
/** The ranges that a person selects, by their name in the address. The current shift has no fixed length. */
const RANGES = {
  hour: ['Hour', 1],
  shift: ['Shift', null],
  day: ['Day', 24],
  week: ['Week', 168],
} as const satisfies Record<string, readonly [Word, number | null]>;
const RANGE_NAMES = Object.keys(RANGES) as (keyof typeof RANGES)[];

function useStory(session: Session, machine: Equipment, hours: number | null) {
  const sent = SYSTEMS.flatMap(([, signals]) => signals).filter(
    (signal) => valueText(machine, signalRow(signal).field) !== null,
  );
  return usePolled<Read>(
    async (signal) => {
      const end = session.now();
      const iso = (ms: number) => new Date(ms).toISOString();
      const since = hours === null ? {} : { from: iso(end - hours * HOUR_MS), to: iso(end) };
      const story = await session.client.call('equipment_story', { id: machine.id, ...since }, { signal });
      const { from, to } = story;
      const range = { from: Date.parse(from), to: Date.parse(to) };
      if (sent.length === 0) return { story, series: [], step_ms: 1_000, range };
      const read = { id: machine.id, signals: sent, from, to, points: 200 };
      const answer = await session.client.call('equipment_telemetry', read, { signal });
      return { story, series: answer.series, step_ms: (answer.step_s ?? 1) * 1000, range };
    },
    READ_MS,
    [machine.id, hours, sent.join()],
  );
}

/** The text above the slider: the moment and the state, or the hint while there is no cursor. */
function cursorText(read: Read, at: number | null, now: number, zone: string): string {
  if (at === null) return t('Point at a time, or use the slider, to see the state and the values of that moment.');
  const state = stateAt(read.story.states, at);
  return `${moment(at, now, zone)}: ${state === undefined ? t('No data') : t(STATES[state.state].text)}`;
}

function Cursor(props: { read: Read; at: number | null; now: number; zone: string; onAt(at: number | null): void }) {
  const { read, at } = props;
  const { from, to } = read.range;
  const text = cursorText(read, at, props.now, props.zone);
  return (
    <label class="story-cursor">
      <span class="aside">{text}</span>
      <input
        type="range"
        aria-label={t('Moment')}
        min={0}
        max={1_000}
        value={at === null ? 1_000 : Math.round(percentAt(read.range, at) * 10)}
        aria-valuetext={text}
        onInput={(event) => {
          const part = Number(event.currentTarget.value) / 1_000;
          props.onAt(part === 1 ? null : from + part * (to - from));
        }}
      />
    </label>
  );
}

export function MachineStory({ session, machine, place }: { session: Session; machine: Equipment; place: StoryPlace }) {
  const [chosen, setChosen] = useState(place);
  const [at, setAt] = useState<number | null>(null);
  const range = RANGE_NAMES.find((name) => name === chosen.range) ?? 'shift';
  const hours = RANGES[range][1];
  const { data, problem, reload } = useStory(session, machine, hours);
  const now = useNow(session.now);
  const zone = session.project.timezone;
  const choose = (next: StoryPlace) => {
    setChosen(next);
    history.replaceState(null, '', storyHash(machine.id, next));
  };
  const shift = data?.story.shift;
  return (
    <div class="story-page">
      <section class="story" aria-label={t('Story')}>
        <div class="head">
          <h2>
            {range === 'shift' && shift != null ? t('Story of this shift ({name})', { name: shift.name }) : t('Story')}
          </h2>
          <fieldset class="history-ranges" aria-label={t('Time of the story')}>
            {RANGE_NAMES.map((name) => (
              <button
                key={name}
                type="button"
                class={range === name ? 'quiet range-on' : 'quiet'}
                aria-pressed={range === name}
                onClick={() => choose({ ...chosen, range: name })}
              >
                {t(RANGES[name][0])}
              </button>
            ))}
          </fieldset>
        </div>
        <Problem text={problem} />
        {data === null ? (
          problem === null && <p class="aside">{t('Reading the story…')}</p>
        ) : (
          <>
            {data.series.length === 0 && (
              <p class="waiting">
                {machine.device_ids.length === 0
                  ? t(
                      'No logger is linked to this machine, so its story has only what people reported. Connect a logger below.',
                    )
                  : t('This machine has sent no values yet. The steps beside the story show where its data stops.')}
              </p>
            )}
            <Axis
              read={data}
              machine={machine}
              at={at}
              now={now}
              zone={zone}
              onAt={setAt}
              onWhy={(why) => choose({ ...chosen, why })}
            />
            <Cursor read={data} at={at} now={now} zone={zone} onAt={setAt} />
            <Codes read={data} session={session} now={now} />
          </>
        )}
      </section>
      <aside class="story-side" aria-label={t('Reasons and log')}>
        <Why
          session={session}
          machine={machine}
          chosen={chosen}
          isEmpty={data?.series.length === 0}
          onChoose={choose}
        />
        {data !== null && <StoryLog session={session} id={machine.id} {...data.range} now={now} />}
        <StoryDrop session={session} machine={machine} onSent={reload} />
      </aside>
    </div>
  );
}

/** The steps behind the value that a person asked about. A machine that never sent a value shows them without a question. */
function Why(props: {
  session: Session;
  machine: Equipment;
  chosen: StoryPlace;
  isEmpty: boolean;
  onChoose(next: StoryPlace): void;
}) {
  const { session, machine, chosen, isEmpty } = props;
  const signal: SignalName | null = chosen.why ?? (isEmpty && machine.device_ids.length > 0 ? 'engine.speed' : null);
  if (signal === null) return null;
  return (
    <StoryWhy
      key={signal}
      session={session}
      machine={machine}
      signal={signal}
      onClose={() => props.onChoose({ ...chosen, why: null })}
    />
  );
}
