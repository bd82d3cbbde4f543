/** The parts around a board: header, footer, information panel and full-screen notice. */
import { useLayoutEffect, useState } from 'preact/hooks';
import type { BoardView, LiveSnapshot } from '#contract/site/live.ts';
import { REASON_WORDS } from '#contract/work/attention-words.ts';
import { afterPaint } from '#ui/after-paint.ts';
import { clock, duration, moment } from '#ui/format.ts';
import { t } from '#ui/languages/texts.ts';
import { fitting, shortened, textWidth } from '#ui/text/measure.ts';
import type { Moment } from '#ui/tiles/ageing.ts';
import type { Counts } from '#ui/tiles/machine-drawing.ts';
import { AlertMark, Held, Live, Lost, Tick } from '#ui/tiles/marks.tsx';
import { type AlertLine, quietLine } from './alerts.ts';

const TYPE = 3.7;
/** Width in u of the clock, the sign of life and the gaps of the header, and of a shape with its gaps. */
const AROUND = 52;
const SHAPE = 8.2;
/** Width in u of the padding of the word that says that the data is simulated, with its edges and a gap. */
const BADGE = 6;
/** Space for the name of the board, in u, before the counts become shorter. */
const NAME = 5.2;

/**
 * How many machines need somebody now, how many soon, how many are fine, and how many send no data: with words if they fit `room`, otherwise
 * with words for those that need somebody, otherwise as shapes with numbers.
 */
function CountsLine({ counts, live, room }: { counts: Counts; live: boolean; room: number }) {
  const { act, look, fine, silent } = counts;
  const { grades } = REASON_WORDS;
  const all = [
    { key: 'act', mark: <AlertMark mark="critical" />, name: t(grades.act), count: act },
    { key: 'look', mark: <AlertMark mark="warning" />, name: t(grades.look), count: look },
    { key: 'fine', mark: <Tick />, name: t('Fine'), count: fine },
    { key: 'silent', mark: <AlertMark mark="nodata" />, name: t('No data'), count: silent },
  ].filter(({ key, count }) => count > 0 || key === 'fine');
  const texts = all.map(({ name, count }) => `${name}: ${count}`);
  const short = all.map(({ key, count }, i) => (key === 'act' || key === 'look' ? (texts[i] ?? '') : String(count)));
  const known = live ? '' : t('Last known:');
  const fits = (words: readonly string[]) =>
    [...(live ? [] : [known]), ...words].reduce((sum, text) => sum + textWidth(text, TYPE, 600) + SHAPE, 0) <= room;
  const shown = [texts, short].find(fits) ?? all.map(({ count }) => String(count));
  const calm = act + look + silent === 0;
  return (
    <span class="sub counts" role="img" aria-label={`${known} ${texts}`}>
      {known !== '' && <span>{known}</span>}
      {all.map(({ key, mark }, i) => (
        <span key={key} class={key === 'act' || key === 'look' ? 'loud' : ''}>
          {mark}
          {calm ? t('{fine} of {all} fine', { fine, all: fine }) : shown[i]}
        </span>
      ))}
    </span>
  );
}

export function Header(props: {
  project: LiveSnapshot['project'];
  board: BoardView | null;
  title: string;
  /** The notice that the gateway sends while it works with restrictions, for example with a full disk. */
  notice: string | undefined;
  /** How many machines are in each state; null if no board shows machines. */
  counts: Counts | null;
  /** True if the board itself says that it is not live. */
  band: boolean;
  at: Moment;
  /** The width of the board, in u. */
  width: number;
}) {
  const { project, board, notice, counts, at, band } = props;
  // On a slow TV the first use of a time zone takes longer than drawing all tiles. So the clock appears one frame after the machines.
  const [warm, setWarm] = useState(false);
  useLayoutEffect(() => afterPaint(() => setWarm(true)), []);
  const time = warm ? clock(at.now, project.timezone) : '';
  const name = board?.name ?? props.title;
  const alarm = board?.alarm;
  const badge = project.simulated ? textWidth(t('Demo'), TYPE, 600) + BADGE : 0;
  const room = props.width - AROUND - badge - Math.min(0.58 * props.width, textWidth(name, NAME, 700));
  return (
    <header
      class={!at.live ? (band ? 'top' : 'top lost') : alarm ? `top alarm ${alarm}` : 'top'}
      aria-live={at.live ? 'off' : 'assertive'}
    >
      {alarm && alarm !== 'info' && <AlertMark mark={alarm} />}
      <h1 class={notice === undefined ? '' : 'yields'}>{name}</h1>
      {at.live || band ? (
        <>
          {(notice === undefined || !at.live) && counts !== null ? (
            <CountsLine counts={counts} live={at.live} room={room} />
          ) : notice === undefined ? (
            <span class="sub">{fitting([board?.subtitle ?? '', ''], TYPE, 400, room)}</span>
          ) : (
            <span class="notice-line" role="status">
              <AlertMark mark="warning" />
              {notice}
            </span>
          )}
          {project.simulated && <span class="demo">{t('Demo')}</span>}
          <span class="beat">
            {at.live ? <Live /> : <Lost />}
            {t(at.live ? 'live {age} ago' : 'not live, {age}', { age: duration(at.now - at.lastMessageMs) })}
          </span>
        </>
      ) : (
        <span class="beat">
          <Lost />
          {t('Not live since {time}, retrying', { time: moment(at.lastMessageMs, at.now, project.timezone) })}
        </span>
      )}
      <time>{time}</time>
    </header>
  );
}

/** Milliseconds for which a set of alert lines is shown, before the next set replaces it. */
const SET_MS = 8_000;
/**
 * Widths in u (1 u is a hundredth of the screen height). `BESIDE` is the width of the mark and the gaps of an alert line. `MORE` is the
 * width of the text "2–3 of 12" before the lines.
 */
const BESIDE = 7.8;
const MORE = 20;
/** The padding of the most urgent line, in u. */
const PILL = 3;
/** The most urgent line leaves at least this width for the other lines, in u. */
const OTHERS = 52;

/** An alert line, with its longest text that fits into the footer. */
interface FittedLine {
  readonly line: AlertLine;
  readonly text: string;
}
const widthOf = ({ text }: FittedLine) => textWidth(text, TYPE, 600) + BESIDE;
const fitLine = (line: AlertLine, room: number): FittedLine => ({ line, text: fitting(line.texts, TYPE, 600, room) });

/**
 * Groups the alert lines into sets that fit the width (in u); the footer shows one set after another. If even the shortest text of a line
 * does not fit, no set has this line, but the footer counts it.
 */
function inSets(lines: readonly AlertLine[], whole: number): FittedLine[][] {
  const long = lines.map((line) => fitLine(line, whole - BESIDE));
  if (long.reduce((sum, one) => sum + widthOf(one), 0) <= whole) return [long];
  const width = whole - MORE;
  const sets: FittedLine[][] = [];
  let left = 0;
  for (const one of lines.map((line) => fitLine(line, width - BESIDE))) {
    const needed = widthOf(one);
    if (needed > width) continue;
    if (needed > left) {
      sets.push([]);
      left = width;
    }
    sets[sets.length - 1]?.push(one);
    left -= needed;
  }
  return sets;
}

/** Returns the positions of the shown alert lines among all lines, for example "2–3 of 7". */
function placeOf(shown: readonly FittedLine[], lines: readonly AlertLine[]): string {
  const first = shown[0] === undefined ? 0 : lines.indexOf(shown[0].line) + 1;
  const place = `${first}${shown.length > 1 ? `–${first + shown.length - 1}` : ''}`;
  return t('{place} of {all}', { place, all: lines.length });
}

export function Footer(props: {
  boards: readonly BoardView[];
  lines: readonly AlertLine[];
  /** True if nothing is urgent, also nothing that the board itself shows. */
  calm: boolean;
  at: Moment;
  /** The width of the board, in u. */
  width: number;
  step: { index: number; of: number };
  nextIn: number | null;
  heldFor: number | null;
  /** True if the board itself says that it is not live. The footer then says what to check. */
  band: boolean;
}) {
  const { step } = props;
  const lines = props.band ? [] : props.lines;
  const parts: string[] = [];
  if (step.of > 1) parts.push(t('page {page} / {all}', { page: step.index + 1, all: step.of }));
  if (props.heldFor !== null) parts.push(t('held {age}', { age: duration(props.heldFor) }));
  else if (props.nextIn !== null) parts.push(t('next in {age}', { age: duration(props.nextIn) }));
  const page = parts.join(' · ');
  const width = props.width - textWidth(page, TYPE, 400) - (props.heldFor === null ? 1 : 6);
  // The most urgent line is always shown. The other lines take turns beside it.
  const [worst] = lines;
  const pinned = worst?.order.grade === 'act' ? worst : null;
  const others = pinned === null ? lines : lines.slice(1);
  const room = width - BESIDE - PILL - (others.length === 0 ? 0 : OTHERS);
  const text = pinned === null ? '' : shortened(fitLine(pinned, room).text, TYPE, 600, room);
  const left = pinned === null ? width : width - textWidth(text, TYPE, 600) - BESIDE - PILL;
  const sets = inSets(others, left);
  const shown = sets[Math.floor(props.at.now / SET_MS) % Math.max(1, sets.length)] ?? [];
  return (
    <footer class="bottom">
      {pinned !== null && (
        <span class="worst">
          <AlertMark mark={pinned.mark} />
          <span>{text}</span>
        </span>
      )}
      {props.band && (
        <span class="quiet">
          {shortened(t('Check first: is the gateway on, and does this screen have its network?'), TYPE, 400, width)}
        </span>
      )}
      {lines.length === 0 && props.at.live && (
        <span class="quiet">{quietLine(props.boards, props.at, props.calm)}</span>
      )}
      {shown.length < others.length && <span class="more">{placeOf(shown, lines)}</span>}
      {shown.map(({ line, text }) => (
        <span key={line.key} class="alert">
          <AlertMark mark={line.mark} />
          <span>{text}</span>
        </span>
      ))}
      <span class="page">
        {props.heldFor !== null && <Held />}
        {page}
      </span>
    </footer>
  );
}

/** A text in the middle of an empty screen. */
export function Notice(props: { title: string; text: string }) {
  return (
    <div class="notice" role="status">
      <h1>{props.title}</h1>
      <p>{props.text}</p>
    </div>
  );
}
