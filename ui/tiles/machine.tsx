/** The tile of one machine on a status board. */
import type { MachineTile } from '#contract/site/live.ts';
import type { Moment } from './ageing.ts';
import { drawMachine, type MachineDrawing } from './machine-drawing.ts';
import { AlertMark, LiveMark } from './marks.tsx';
import { fittedSize, fitting, shortened, textWidth } from './measure.ts';

/**
 * The text sizes of a tile, in the unit m. One m is one u (a hundredth of the screen height), multiplied by the factor by which the tile
 * enlarges its text. People can read the smallest size from 4 metres on a 55 inch screen: 16 arc minutes (ISO 9241-3).
 */
const FLOOR = 3.7;
const UNIT = { full: 6, compact: 5.2 } as const;
const PADDING = 3.5;
const MARK = 4.9;

/**
 * If the reason does not fit on one line, divides it into two lines: its label and its value. Returns no lines if one of the two lines does
 * not fit either.
 */
function splitHeadline({ reason, headline }: MachineDrawing, room: number): [string?, string?] {
  const { label, value: number, unit } = reason?.says.params ?? {};
  if (headline.length === 0 || label === undefined || number === undefined) return [];
  const value = `${number} ${unit}`;
  if (textWidth(`${label} ${value}`, FLOOR, 600) <= room) return [];
  return [label, value].every((text) => textWidth(text, FLOOR, 600) <= room) ? [label, value] : [];
}

/** Draws the tile of a machine. `width` is in m. `first` is true for the most urgent machine on the screen. */
export function Machine(props: {
  machine: MachineTile;
  at: Moment;
  kind: 'full' | 'compact';
  width: number;
  first: boolean;
}) {
  const { machine, kind, first } = props;
  const drawing = drawMachine(machine, props.at);
  const { chip, conflict, live, headline, mark } = drawing;
  const full = kind === 'full';
  const width = props.width - PADDING;
  // The tile of the most urgent machine has a line "Most urgent". Its unit number is smaller, to leave space for this line.
  const unitSize = fittedSize(machine.unit_number, full && !first ? UNIT.full : UNIT.compact, FLOOR, 700, width);
  // A long unit number in the smallest size gets two lines in a full tile, and one line in a compact tile.
  const unit = shortened(machine.unit_number, unitSize, 700, full && !first ? 1.8 * width : width);
  const never = drawing.freshness === 'never';
  const headed = headline.length > 0 && mark !== null;
  // A full tile of a machine that never sent data has space for a second line, so its status text may wrap.
  const wraps = never && full && !headed;
  const word = wraps ? drawing.word[0] : fitting(drawing.word, FLOOR, 600, never ? width : width - MARK);
  const level = drawing.level;
  const detail =
    drawing.detail.length === 0 ? null : fitting(drawing.detail, FLOOR, 400, width - (level === null ? 0 : MARK));
  const room = width - MARK;
  // If the reason takes two lines, or the tile is compact, the live status is drawn as a shape without text.
  const [label, value] = splitHeadline(drawing, full && chip === null ? room : 0);
  const reasonText = label ?? fitting(headline, FLOOR, 600, room);
  // The live status is drawn with its text only if the other lines leave space for it.
  const stated = (full ? !headed || chip === null : !headed && chip === null) && value === undefined;
  const beside = headed && !full && chip === null && textWidth(reasonText, FLOOR, 600) + MARK <= room;
  return (
    <li
      class={`machine ${kind}${first ? ' first' : ''}`}
      data-live={live}
      data-fresh={drawing.freshness}
      data-chip={chip?.tone}
      data-grade={drawing.grade}
      aria-label={first ? `most urgent, ${drawing.sentence}` : drawing.sentence}
    >
      {first && full && <p class="most">{fitting(['Most urgent', 'Worst now', 'Worst'], FLOOR, 600, width)}</p>}
      <h2 style={{ fontSize: `calc(${unitSize} * var(--m))` }}>{unit}</h2>
      {headed && (
        <div class="reason">
          <AlertMark mark={mark} />
          <span>{reasonText}</span>
          {beside && <LiveMark live={live} />}
        </div>
      )}
      {value !== undefined && (
        <div class="state">
          {drawing.freshness !== 'never' && <LiveMark live={live} />}
          <span>{value}</span>
        </div>
      )}
      {chip !== null && (full || !headed) && (
        <div class="chips">
          <span class="chip">{chip.text}</span>
          {(!full || headed) && !conflict && !never && <LiveMark live={live} />}
          {conflict && <AlertMark mark="conflict" />}
        </div>
      )}
      {stated && never && <div class="never">{word}</div>}
      {stated && !never && (
        <div class="state">
          <LiveMark live={live} />
          <span>{word}</span>
        </div>
      )}
      {!never && chip === null && !headed && detail !== null && (
        <div class="detail">
          {level !== null && <AlertMark mark={level} />}
          <span>{detail}</span>
        </div>
      )}
    </li>
  );
}
