/** Parts of the pages of shifts: the times of machines, stoppages with their evidence, and changes. */
import { UNKNOWN_PERCENT } from '#contract/base/widget-kinds.ts';
import { clock, moment } from '#ui/format.ts';
import { said, t, translated } from '#ui/languages/texts.ts';
import type { Session } from '#ui/office/base/session.ts';
import {
  BAR_CLASSES,
  CATEGORY_WORDS,
  type Changes,
  CLASS_WORDS,
  changeReason,
  changeText,
  type Draft,
  type Minutes,
  machineMinutes,
  minutesText,
  reportText,
  type Stoppage,
} from './shift-text.ts';

interface Shown {
  readonly session: Session;
  readonly now: number;
}

/** The bar of one machine. Each class has a width in proportion to its minutes. */
function Bar({ minutes }: { minutes: Minutes }) {
  const all = BAR_CLASSES.reduce((sum, name) => sum + minutes[name], 0);
  const text = BAR_CLASSES.filter((name) => minutes[name] > 0)
    .map((name) => `${t(CLASS_WORDS[name])} ${minutesText(minutes[name])}`)
    .join(', ');
  return (
    <div class="shift-bar" role="img" aria-label={text}>
      {BAR_CLASSES.map(
        (name) =>
          minutes[name] > 0 && <i key={name} data-class={name} style={{ width: `${(100 * minutes[name]) / all}%` }} />,
      )}
    </div>
  );
}

/** How much of the known time the machines worked, and the target of the site. */
export function Worked({ draft, target }: { draft: Draft; target: number | null }) {
  const machines = machineMinutes(draft);
  const sum = (name: (typeof BAR_CLASSES)[number]) => machines.reduce((all, { minutes }) => all + minutes[name], 0);
  const all = BAR_CLASSES.reduce((total, name) => total + sum(name), 0);
  if (all === 0) return null;
  const known = all - sum('unknown');
  const unknown = Math.round((100 * sum('unknown')) / all);
  const notKnown = t('{n} % of the time is not known.', { n: unknown });
  if (unknown > UNKNOWN_PERCENT.most) return <p>{notKnown}</p>;
  const percent = Math.round((100 * sum('working')) / known);
  const below = target === null ? 0 : target - percent;
  return (
    <p>
      {t('Machines worked {percent} % of the known time.', { percent })}
      {unknown >= UNKNOWN_PERCENT.told && ` ${notKnown}`}
      {target !== null && ' '}
      {target !== null &&
        (below > 0
          ? t('That is {below} below the target of {target} %.', { below, target })
          : t('The target of {target} % is reached.', { target }))}
    </p>
  );
}

/** A table with the minutes of each machine. */
export function MachineTimes({ draft }: { draft: Draft }) {
  return (
    <div class="table stacks close">
      <table>
        <thead>
          <tr>
            <th scope="col">{t('Machine')}</th>
            <th scope="col">{t('Share of the time')}</th>
            {BAR_CLASSES.map((name) => (
              <th key={name} scope="col" class="figure">
                <i class="shift-key" data-class={name} /> {t(CLASS_WORDS[name])}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {machineMinutes(draft).map(({ equipment_id, unit_number, minutes }) => (
            <tr key={equipment_id}>
              <th scope="row">
                <a href={`#machines/${equipment_id}`}>{unit_number}</a>
              </th>
              <td class="shift-cell">
                <Bar minutes={minutes} />
              </td>
              {BAR_CLASSES.map((name) => (
                <td key={name} class="figure" data-label={t(CLASS_WORDS[name])}>
                  {minutes[name] === 0 ? '–' : minutesText(minutes[name])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function codeText({ spn, fmi, meaning }: Stoppage['codes'][number]): string {
  return `SPN ${spn ?? '?'} FMI ${fmi}${meaning === null ? '' : `: ${translated(meaning)}`}`;
}

/** The stoppages of a shift, each with its evidence and links to it. */
export function Stoppages({ stoppages, session, now }: Shown & { stoppages: readonly Stoppage[] }) {
  const { timezone } = session.project;
  if (stoppages.length === 0)
    return <p class="aside">{t('No machine was down or in service for five minutes or more.')}</p>;
  return (
    <ul class="shift-list">
      {stoppages.map((stop) => (
        <li key={`${stop.equipment_id} ${stop.started_at}`}>
          <b>
            {said('{unit} {category}, {from} to {to}, {duration}', {
              unit: <a href={`#machines/${stop.equipment_id}`}>{stop.unit_number}</a>,
              category: t(CATEGORY_WORDS[stop.category]),
              from: clock(Date.parse(stop.started_at), timezone),
              to: clock(Date.parse(stop.ended_at), timezone),
              duration: minutesText(stop.minutes),
            })}
          </b>
          <ul>
            {stop.reported.map((one) => (
              <li key={one.event_id}>{reportText(one, now, timezone)}</li>
            ))}
            {stop.tickets.map(({ id, number, title }) => (
              <li key={id}>{said('Ticket {link}', { link: <a href={`#tickets/${id}`}>{`${number} ${title}`}</a> })}</li>
            ))}
            {stop.alerts.map(({ id, rule_name, raised_at }) => (
              <li key={id}>
                {said('Alert {rule}, raised at {time}', {
                  rule: <a href={`#alerts/${stop.equipment_id}`}>{rule_name}</a>,
                  time: moment(Date.parse(raised_at), now, timezone),
                })}
              </li>
            ))}
            {stop.codes.map((code) => (
              <li key={`${code.spn} ${code.fmi} ${code.since}`}>
                {code.since === null
                  ? t('Trouble code {code}', { code: codeText(code) })
                  : t('Trouble code {code}, active since {time}', {
                      code: codeText(code),
                      time: moment(Date.parse(code.since), now, timezone),
                    })}
              </li>
            ))}
            {stop.tickets.length === 0 && <li class="aside">{t('No ticket overlaps this stoppage.')}</li>}
            {stop.more && <li class="aside">{t('There is more evidence than is shown here.')}</li>}
          </ul>
        </li>
      ))}
    </ul>
  );
}

/** The times whose class is not what it was. */
export function ChangeList({ changes, session, now }: Shown & { changes: Changes }) {
  const { timezone } = session.project;
  return (
    <>
      <ul class="shift-list">
        {changes.items.map((one) => (
          <li key={`${one.equipment_id} ${one.from}`}>
            <a href={`#machines/${one.equipment_id}`}>{changeText(one, now, timezone)}</a>
            <small>{changeReason(one, now, timezone)}</small>
          </li>
        ))}
      </ul>
      {changes.more && <p class="aside">{t('There are more changes than are shown here.')}</p>}
    </>
  );
}
