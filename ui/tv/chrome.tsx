/** What surrounds a board: header, footer, what must be said over everything. */
import type { BoardView, LiveSnapshot } from '#contract/live.ts';
import { clock, duration, moment } from '#ui/format.ts';
import { AlertMark, Held, Live, Lost } from '#ui/tiles/marks.tsx';
import type { Moment } from './ageing.ts';
import { type AlertLine, quietLine } from './alerts.ts';

export function Header(props: {
  project: LiveSnapshot['project'];
  board: BoardView | null;
  title: string;
  at: Moment;
}) {
  const { project, board, at } = props;
  const time = clock(at.now, project.timezone);
  const name = board?.name ?? props.title;
  return (
    <header class={at.live ? 'top' : 'top lost'} aria-live={at.live ? 'off' : 'assertive'}>
      <h1>{name}</h1>
      {at.live ? (
        <>
          <span class="sub">{board?.subtitle}</span>
          {project.simulated && <span class="demo">Demo · simulated site</span>}
          <span class="beat">
            <Live />
            live {duration(at.now - at.heard)} ago
          </span>
        </>
      ) : (
        <span class="beat">
          <Lost />
          Not live since {moment(at.heard, at.now, project.timezone)}, retrying
        </span>
      )}
      <time>{time}</time>
    </header>
  );
}

/** How many alert lines stand side by side, and how long each set stays. */
const BESIDE = 2;
const SET_MS = 8_000;

export function Footer(props: {
  boards: readonly BoardView[];
  lines: readonly AlertLine[];
  at: Moment;
  step: { index: number; of: number };
  nextIn: number | null;
  heldUntil: number | null;
}) {
  const { lines, step } = props;
  const sets = Math.max(1, Math.ceil(lines.length / BESIDE));
  const set = Math.floor(props.at.now / SET_MS) % sets;
  const shown = lines.slice(set * BESIDE, set * BESIDE + BESIDE);
  const more = lines.length - shown.length;
  const words: string[] = [];
  if (step.of > 1) words.push(`page ${step.index + 1} / ${step.of}`);
  if (props.heldUntil !== null) words.push(`held, goes on in ${duration(props.heldUntil)}`);
  else if (props.nextIn !== null) words.push(`next in ${duration(props.nextIn)}`);
  return (
    <footer class="bottom">
      {shown.length === 0 && <span class="quiet">{quietLine(props.boards, props.at)}</span>}
      {shown.map((line) => (
        <span key={line.key} class="alert">
          <AlertMark mark={line.mark} />
          <span>{line.text}</span>
        </span>
      ))}
      {more > 0 && <span class="more">+{more} more</span>}
      <span class="page">
        {props.heldUntil !== null && <Held />}
        {words.join(' · ')}
      </span>
    </footer>
  );
}

export function Info(props: { rows: readonly (readonly [string, string])[] }) {
  return (
    <section class="info" aria-label="About this screen">
      <h2>This screen</h2>
      <dl>
        {props.rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** One sentence in the middle of an otherwise empty screen. */
export function Notice(props: { title: string; text: string }) {
  return (
    <div class="notice" role="status">
      <h1>{props.title}</h1>
      <p>{props.text}</p>
    </div>
  );
}
