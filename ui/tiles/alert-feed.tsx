/**
 * The tile that lists active alerts, in the order in which the gateway sends them. Acknowledged alerts are dimmed. A row says how many
 * alerts it joins, so the rows add up to the number in the heading.
 */
import type { AlertRow } from '#contract/site/live.ts';
import { duration } from '#ui/format.ts';
import { t } from '#ui/languages/texts.ts';
import { fitting, textWidth } from '#ui/text/measure.ts';
import { cut } from '#ui/text/text-fit.ts';
import { AlertMark, Info } from './marks.tsx';
import type { TileProps } from './tile-props.ts';

export { Tickets } from './tickets.tsx';

const FLOOR = 3.7;
const PADDING = { w: 4.4, h: 3.4 };
const HEADING = 5.6;
const ROW = 11;
const MARK = 6.4;

const SEVERITIES = { info: 'info', warning: 'warning', critical: 'critical' } as const;

export function AlertFeed({ data, title, at, size }: TileProps<'alert_feed'>) {
  const { rows, row_count, total, unacknowledged } = data.alerts;
  const width = size.w - PADDING.w - MARK;
  const room = size.h - PADDING.h - HEADING;
  const fits = Math.max(1, Math.floor(room / ROW));
  const shown = row_count <= fits ? rows : rows.slice(0, Math.max(1, Math.floor((room - 4.6) / ROW)));
  const heading = cut(title || t('Alerts'), FLOOR, 600, size.w - PADDING.w);
  const count =
    total === 0
      ? ''
      : fitting(
          [
            t('{new} of {all} not acknowledged', { new: unacknowledged, all: total }),
            t('{n} new|{n} new', { n: unacknowledged }),
            '',
          ],
          FLOOR,
          400,
          size.w - PADDING.w - textWidth(heading, FLOOR, 600) - 2,
        );
  return (
    <section class="panel alerts" aria-label={heading}>
      <h2 class="label">
        {heading}
        <span>{count}</span>
      </h2>
      {total === 0 && <p class="hint">{t('No active alerts')}</p>}
      <ul>
        {shown.map((row) => (
          <Alert key={row.id} row={row} now={at.now} width={width} />
        ))}
      </ul>
      {row_count > shown.length && (
        <p class="hint">{t('+{count} more', { count: shown.reduce((left, { joins = 1 }) => left - joins, total) })}</p>
      )}
    </section>
  );
}

function Alert({ row, now, width }: { row: AlertRow; now: number; width: number }) {
  const { severity, acknowledged, rule_name, joins } = row;
  const detail = joins === undefined ? row.detail : `${t('{n} alert|{n} alerts', { n: joins })} · ${row.detail}`;
  const who = row.unit_number ?? t('Unknown machine');
  const age = duration(now - row.raised_ms);
  const seen =
    acknowledged === null
      ? null
      : acknowledged.by === ''
        ? t('acknowledged')
        : t('acknowledged by {name}', { name: acknowledged.by });
  const unlinked = row.paired ? null : t('no machine linked');
  const parts = [detail, unlinked, row.late ? t('late') : null, seen, t('{age} ago', { age })].filter(
    (part) => part !== null,
  );
  const lines = [
    parts.join(' · '),
    [detail, unlinked, seen === null ? null : t('seen'), age].filter((part) => part !== null).join(' · '),
    `${detail} · ${age}`,
  ];
  const line = fitting([...lines, ''], FLOOR, 400, width) || cut(`${age} · ${detail}`, FLOOR, 400, width);
  return (
    <li
      class={acknowledged === null ? '' : 'seen'}
      data-severity={severity}
      aria-label={`${t(SEVERITIES[severity])}: ${who}, ${rule_name}, ${parts.join(', ')}`}
    >
      {severity === 'info' ? <Info /> : <AlertMark mark={severity} />}
      <div>
        <b class="what">{cut(`${who}  ${rule_name}`, 4.2, 600, width)}</b>
        <span class="detail">{line}</span>
      </div>
    </li>
  );
}
