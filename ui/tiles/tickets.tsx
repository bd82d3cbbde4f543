/** The tile with open repair tickets and their age, in columns by status. Safety critical tickets come first, then urgent ones. */
import type { TicketCard } from '#contract/site/live.ts';
import { duration, shortDuration } from '#ui/format.ts';
import { t, translated } from '#ui/languages/texts.ts';
import { fitting, shortened, textWidth } from '#ui/text/measure.ts';
import { cut, lines } from '#ui/text/text-fit.ts';
import { AlertMark } from './marks.tsx';
import type { TileProps } from './tile-props.ts';

const FLOOR = 3.7;
const PADDING = { w: 4.4, h: 3.4 };
const HEADING = 5.4;
const HEAD = 6.2;
/** The height of a card with one line of text, in u. LINE is the height of each further line. */
const CARD = 11.2;
const LINE = 4.3;
const GAP = 1.4;
/** The padding and border of a card. */
const INSIDE = 3.4;
/** The smallest width of a column, in u. */
const LEAST = 34;

export function Tickets({ data, title, at, size }: TileProps<'ticket_board'>) {
  const width = size.w - PADDING.w;
  // If not all columns fit, hide the last columns; the heading of the tile then shows how many tickets each hidden column has.
  const most = Math.max(1, Math.min(data.columns.length, Math.floor((width + GAP) / (LEAST + GAP))));
  const columns = data.columns.slice(0, most);
  const each = (width - (most - 1) * GAP) / most;
  const room = size.h - PADDING.h - (title === '' ? 0 : HEADING) - HEAD - 0.6;
  /** Returns the cards that fit the height. It leaves space for a line with the number of hidden cards. */
  const cardsOf = (cards: readonly TicketCard[], count: number): TicketCard[] => {
    const shown: TicketCard[] = [];
    let left = room;
    for (const card of cards) {
      left -= CARD + GAP + (wordsOf(card, each - INSIDE).length - 1) * LINE;
      const last = shown.length + 1 === count;
      if (left + GAP < (last ? 0 : LINE) && shown.length > 0) break;
      shown.push(card);
    }
    return shown;
  };
  const hidden = data.columns.slice(most).filter(({ count }) => count > 0);
  const heading = [title, ...hidden.map(({ label, count }) => `${label} ${count}`)]
    .filter((part) => part !== '')
    .join(' · ');
  return (
    <section class="panel tickets" aria-label={title || t('Open repairs')}>
      {title !== '' && <h2 class="label">{cut(heading, FLOOR, 600, width)}</h2>}
      <div class="columns" style={{ gridTemplateColumns: `repeat(${most}, minmax(0, 1fr))` }}>
        {columns.map(({ status, label, count, cards }) => {
          const shown = cardsOf(cards, count);
          return (
            <div key={status} class="column" data-status={status}>
              <h3>
                {label}
                <b>{count}</b>
              </h3>
              {shown.map((card) => (
                <Card key={card.id} card={card} now={at.now} width={each - INSIDE} />
              ))}
              {count > shown.length && <p class="hint">{t('+{count} more', { count: count - shown.length })}</p>}
              {count === 0 && <p class="hint">{t('None')}</p>}
            </div>
          );
        })}
      </div>
    </section>
  );
}

const PRIORITIES = { low: 'low', medium: 'medium', high: 'high', critical: 'critical' } as const;

/** Returns the facts of a ticket in words: how grave it is, what it waits for, and if nobody is assigned. */
export function factsOf({ safety_critical, priority, hold_reason, assigned }: TicketCard): string[] {
  return [
    safety_critical ? t('safety critical') : t(PRIORITIES[priority]),
    ...(hold_reason === null ? [] : [t('waiting for {what}', { what: translated(hold_reason) })]),
    ...(assigned === 0 ? [t('not assigned')] : []),
  ];
}

const GRAVE = { critical: 'critical', high: 'warning', medium: null, low: null } as const;

/** Returns the text of a card in at most two lines. */
function wordsOf({ title, safety_critical, hold_reason }: TicketCard, width: number): string[] {
  const text = `${safety_critical ? `${t('Safety')}: ` : ''}${hold_reason === null ? '' : `${translated(hold_reason)}: `}${title}`;
  return lines(text, FLOOR, 400, width, 2);
}

function Card({ card, now, width }: { card: TicketCard; now: number; width: number }) {
  const mark = card.safety_critical ? 'critical' : GRAVE[card.priority];
  const age = duration(now - card.since_ms);
  const late = card.due_ms !== null && card.due_ms < now;
  const room = width - (mark === null ? 0 : 4.9);
  const number = textWidth(card.unit_number, FLOOR, 700);
  const wanted = late
    ? [...[duration, shortDuration].map((age) => t('late {age}', { age: age(now - (card.due_ms ?? now)) })), t('late')]
    : [age, shortDuration(now - card.since_ms)];
  // If the line is too narrow for both, it shows the unit number and not the age.
  const aside = fitting([...wanted, ''], FLOOR, 400, number > room ? room * 0.3 : room - number - 1);
  const unit = shortened(card.unit_number, FLOOR, 700, room - (aside === '' ? 0 : textWidth(aside, FLOOR, 400) + 1));
  const sentence = [`${card.unit_number}: ${card.title}`, ...factsOf(card), t('for {age}', { age })].join(', ');
  return (
    <article class={mark === null ? 'card' : `card ${mark}`} aria-label={sentence}>
      <p class="first">
        {mark !== null && <AlertMark mark={mark} />}
        <b>{unit}</b>
        <span class={late ? 'late' : ''}>{aside}</span>
      </p>
      {wordsOf(card, width).map((line) => (
        <p key={line}>{line}</p>
      ))}
    </article>
  );
}
