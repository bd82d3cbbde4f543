/** Widgets that old TVs draw as tables: the status board, lists of machines, bars, alerts and tickets. */
import type { ComponentChildren } from 'preact';
import type { MachineTile } from '#contract/site/live.ts';
import { duration, joined } from '#ui/format.ts';
import { t } from '#ui/languages/texts.ts';
import type { Moment } from '#ui/tiles/ageing.ts';
import { drawMachine, type MachineDrawing, markOf } from '#ui/tiles/machine-drawing.ts';
import { AlertMark, Info, LiveMark, Service, Tick } from '#ui/tiles/marks.tsx';
import { factsOf } from '#ui/tiles/tickets.tsx';
import type { Data } from '#ui/tiles/tile-props.ts';
import { troubledOf } from '#ui/tiles/wall-layout.ts';
import { ownerTexts, reasonTexts } from '#ui/words.ts';
import { ROWS } from './steps.ts';
import { valueText } from './value.ts';

/** The properties of a table: the data of its widget, the page, and the moment for which it is drawn. */
export interface TableProps<D> {
  readonly data: D;
  readonly page: number;
  readonly at: Moment;
}

export const pageOf = <T,>(rows: readonly T[], page: number): readonly T[] =>
  rows.slice(page * ROWS, (page + 1) * ROWS);

const Empty = ({ children }: { children: ComponentChildren }) => <p class="hint">{children}</p>;

/** The shape of a machine: the kind of its trouble, its service, or its live status. */
function MachineMark({ drawing }: { drawing: MachineDrawing }) {
  const { grade, mark, chip, live } = drawing;
  if (mark !== null && grade !== 'note') return <AlertMark mark={mark} />;
  return chip?.tone === 'maint' ? <Service /> : <LiveMark live={live} />;
}

/** A machine in trouble: what is wrong, since when, and who is on it. */
function TroubleRow({ machine, at }: { machine: MachineTile; at: Moment }) {
  const drawing = drawMachine(machine, at);
  const over = machine.attention?.over;
  const reason = over === undefined ? (drawing.reason ?? machine.reasons[0] ?? null) : null;
  const [says = t('Back to normal')] = reason === null ? [] : reasonTexts(reason);
  const [owner = ''] = reason === null ? [] : ownerTexts(reason);
  const since = reason?.since_ms == null ? '' : t('for {age}', { age: duration(at.now - reason.since_ms) });
  return (
    <tr class={reason?.grade ?? 'over'}>
      <td class="mark-cell">{reason === null ? <Tick /> : <AlertMark mark={markOf(reason)} />}</td>
      <th>{machine.unit_number}</th>
      <td class="says">
        {says}
        <span class="small">{joined(since, owner)}</span>
      </td>
    </tr>
  );
}

/** The unit numbers of the machines that are not in trouble, by what they do. */
function Others({ machines, at }: { machines: readonly MachineTile[]; at: Moment }) {
  const groups = new Map<string, string[]>();
  for (const machine of machines) {
    const { chip, word } = drawMachine(machine, at);
    const name = chip?.text ?? word.at(-1) ?? '';
    groups.set(name, [...(groups.get(name) ?? []), machine.unit_number]);
  }
  return (
    <div class="others">
      {[...groups].map(([name, units]) => (
        <p key={name}>
          <b>{`${name} ${units.length}: `}</b>
          {units.join(', ')}
        </p>
      ))}
    </div>
  );
}

export function StatusTable({ data, page, at }: TableProps<{ readonly machines: readonly MachineTile[] }>) {
  const troubled = troubledOf(data.machines);
  const ids = new Set(troubled.map(({ id }) => id));
  const rows = pageOf(troubled, page);
  if (data.machines.length === 0) return <Empty>{t('No machines yet. Add one on the office page.')}</Empty>;
  return (
    <div>
      {troubled.length === 0 && <p class="calm">{t('No machine needs anybody now')}</p>}
      <table>
        <tbody>
          {rows.map((machine) => (
            <TroubleRow key={machine.id} machine={machine} at={at} />
          ))}
        </tbody>
      </table>
      {rows.length < ROWS && <Others machines={data.machines.filter(({ id }) => !ids.has(id))} at={at} />}
    </div>
  );
}

export function MachineTable({ data: { list }, page, at }: TableProps<Data<'machine_list'>>) {
  if (list.rows.length === 0) return <Empty>{t('No machines yet. Add one on the office page.')}</Empty>;
  return (
    <table>
      <thead>
        <tr>
          <td />
          <td />
          <td />
          {list.columns.map(({ label }) => (
            <td key={label} class="number">
              {label}
            </td>
          ))}
        </tr>
      </thead>
      <tbody>
        {pageOf(list.rows, page).map((row) => {
          const drawing = drawMachine(row, at);
          const { chip, word, headline, grade, conflict } = drawing;
          const state = chip === null || conflict ? word[0] : chip.text;
          return (
            <tr key={row.id} class={grade ?? ''}>
              <td class="mark-cell">
                <MachineMark drawing={drawing} />
              </td>
              <th>{row.unit_number}</th>
              <td class="says">{headline[0] ?? state}</td>
              {row.values.map((value, i) => {
                const { text, old, level } = valueText(value, at);
                return (
                  <td key={list.columns[i]?.label} class={`number ${old ? 'old' : level}`}>
                    {level !== 'normal' && <AlertMark mark={level} />} {text}
                  </td>
                );
              })}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** A horizontal bar. It is a drawing, because the policy of the pages does not allow styles in the HTML. */
export function Share({ percent, level }: { percent: number; level: string }) {
  return (
    <svg class="bar" aria-hidden="true" viewBox="0 0 100 10" preserveAspectRatio="none">
      <rect class="track" width="100" height="10" />
      <rect class={level} width={Math.min(100, Math.max(0, percent)).toFixed(1)} height="10" />
    </svg>
  );
}

export function BarTable({ data: { bar }, page, at }: TableProps<Data<'bar'>>) {
  const span = bar.max - bar.min || 1;
  if (bar.rows.length === 0) return <Empty>{t('No machines yet. Add one on the office page.')}</Empty>;
  return (
    <table>
      <tbody>
        {pageOf(bar.rows, page).map(({ id, unit_number, value }) => {
          const { text, old, level } = valueText(value, at);
          const share = value.value === null ? 0 : ((value.value - bar.min) / span) * 100;
          return (
            <tr key={id}>
              <th>{unit_number}</th>
              <td class="bar-cell">{!old && <Share percent={share} level={level} />}</td>
              <td class={`number ${old ? 'old' : level}`}>
                {level !== 'normal' && <AlertMark mark={level} />} {text}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

export function AlertTable({ data: { alerts }, page, at }: TableProps<Data<'alert_feed'>>) {
  if (alerts.total === 0) return <Empty>{t('No active alerts')}</Empty>;
  return (
    <table>
      <tbody>
        {pageOf(alerts.rows, page).map((row) => {
          const seen = row.acknowledged === null ? null : t('acknowledged by {name}', { name: row.acknowledged.by });
          const many = row.joins === undefined ? null : t('{n} alert|{n} alerts', { n: row.joins });
          const parts = [
            many,
            row.detail,
            row.paired ? null : t('no machine linked'),
            row.late ? t('late') : null,
            seen,
          ];
          return (
            <tr key={row.id} class={row.acknowledged === null ? row.severity : 'seen'}>
              <td class="mark-cell">{row.severity === 'info' ? <Info /> : <AlertMark mark={row.severity} />}</td>
              <th>{row.unit_number ?? t('Unknown machine')}</th>
              <td class="says">
                {row.rule_name}
                <span class="small">{joined(...parts, t('{age} ago', { age: duration(at.now - row.raised_ms) }))}</span>
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

export function TicketTable({ data: { columns }, page, at }: TableProps<Data<'ticket_board'>>) {
  const all = columns.flatMap(({ label, cards }) => cards.map((card) => ({ label, card })));
  if (all.length === 0) return <Empty>{t('No open repairs')}</Empty>;
  return (
    <table>
      <tbody>
        {pageOf(all, page).map(({ label, card }) => {
          const late = card.due_ms !== null && card.due_ms < at.now;
          const parts = [
            label,
            ...factsOf(card),
            late
              ? t('late {age}', { age: duration(at.now - (card.due_ms ?? at.now)) })
              : t('for {age}', { age: duration(at.now - card.since_ms) }),
          ];
          const grave = card.safety_critical || card.priority === 'critical';
          return (
            <tr key={card.id} class={grave ? 'critical' : card.priority === 'high' ? 'warning' : ''}>
              <td class="mark-cell">
                {(grave || card.priority === 'high') && <AlertMark mark={grave ? 'critical' : 'warning'} />}
              </td>
              <th>{card.unit_number}</th>
              <td class="says">
                {card.title}
                <span class="small">{joined(...parts)}</span>
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
