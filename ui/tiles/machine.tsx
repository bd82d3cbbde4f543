/** One machine on a status board. */
import type { MachineTile } from '#contract/live.ts';
import type { Moment } from '#ui/tv/ageing.ts';
import { drawMachine } from './machine-drawing.ts';
import { AlertMark, LiveMark } from './marks.tsx';
import { fittedSize, fitting, shortened } from './measure.ts';

/** Type sizes in m, which is at least u; the floor is what 16 arc minutes are at 4 m on a 55 inch screen (ISO 9241-3). */
const FLOOR = 3.7;
const UNIT = { full: 6, compact: 5.2 } as const;
const PADDING = 3.5;
const MARK = 4.9;

/** `width` of the tile is in its own unit m, which is u times how much larger than usual the board draws. */
export function Machine(props: { machine: MachineTile; at: Moment; kind: 'full' | 'compact'; width: number }) {
  const { machine, kind } = props;
  const drawing = drawMachine(machine, props.at);
  const width = props.width - PADDING;
  const unitSize = fittedSize(machine.unit_number, UNIT[kind], FLOOR, 700, width);
  // At the floor a full tile has room for two lines of a long name, a compact one for one.
  const unit = shortened(machine.unit_number, unitSize, 700, kind === 'full' ? 1.8 * width : width);
  const never = drawing.freshness === 'never';
  // A full tile has lines enough to wrap the one long sentence.
  const wraps = never && kind === 'full';
  const word = wraps ? drawing.word[0] : fitting(drawing.word, FLOOR, 600, never ? width : width - MARK);
  const room = width - (drawing.mark === null ? 0 : MARK);
  const detail = drawing.detail.length === 0 ? null : fitting(drawing.detail, FLOOR, 400, room);
  const chip = drawing.chip;
  return (
    <li
      class={`machine ${kind}`}
      data-live={drawing.live}
      data-fresh={drawing.freshness}
      data-chip={chip?.tone}
      aria-label={drawing.sentence}
    >
      <h2 style={{ fontSize: `calc(${unitSize} * var(--m))` }}>{unit}</h2>
      {chip !== null && (
        <div class="chips">
          <span class="chip">{chip.text}</span>
          {kind === 'compact' && !drawing.conflict && !never && <LiveMark live={drawing.live} />}
          {drawing.conflict && <AlertMark mark="conflict" />}
        </div>
      )}
      {never ? (
        (chip === null || kind === 'full') && <div class="never">{word}</div>
      ) : (
        <>
          {(chip === null || kind === 'full') && (
            <div class="state">
              <LiveMark live={drawing.live} />
              <span>{word}</span>
            </div>
          )}
          {chip === null && detail !== null && (
            <div class="detail">
              {drawing.mark !== null && <AlertMark mark={drawing.mark} />}
              <span>{detail}</span>
            </div>
          )}
        </>
      )}
    </li>
  );
}
