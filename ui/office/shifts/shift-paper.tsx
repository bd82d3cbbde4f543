/** What leaves the pages of shifts: the button that prints, CSV files, and the minutes of each machine as they were submitted. */
import { csvLine } from '#contract/csv.ts';
import type { Output } from '#contract/operations.ts';
import { TIME_USAGE, type TimeUsage, type UsageMinutes } from '#contract/work/shift-report.ts';
import { language, t } from '#ui/languages/texts.ts';
import { saveText } from '#ui/office/base/save-file.ts';
import { type Draft, minutesText, USAGE_WORDS } from './shift-text.ts';

type Report = Output<'shift_reports_get'>;
type Usage = Report['time_usage'];

/** Opens the print dialog of the browser, which can also save a PDF ([U370]). */
export const PrintButton = () => (
  <button type="button" onClick={() => print()}>
    {t('Print or save as PDF')}
  </button>
);

/** What the CSV files of a shift contain. */
interface Tables {
  readonly shift: Report['shift'];
  readonly time_usage: readonly { readonly equipment_id: string; readonly minutes: UsageMinutes }[];
  readonly stopped: readonly Pick<Report['stopped'][number], StoppedColumn>[];
}
type StoppedColumn = 'equipment_id' | 'started_at' | 'ended_at' | 'minutes' | 'category' | 'repair_ticket_id';

/** Returns the tables of a draft. The part of a running shift that has not passed is unknown time. */
export function tablesOf({ report: { shift, time_usage }, stoppages }: Draft): Tables {
  return {
    shift,
    time_usage,
    stopped: stoppages.map(({ tickets, ...one }) => ({ ...one, repair_ticket_id: tickets[0]?.id ?? null })),
  };
}

/** The minutes of each machine as CSV. The names of the columns are those of the API, in every language. */
function timesCsv({ shift, time_usage }: Tables, unit: (id: string) => string): string {
  const head = ['shift', 'date', 'starts_at', 'ends_at', 'machine', ...TIME_USAGE.map((name) => `${name}_min`)];
  const rows = time_usage.map(({ equipment_id, minutes }) => [
    ...[shift.name, shift.date, shift.starts_at, shift.ends_at, unit(equipment_id)],
    ...TIME_USAGE.map((name) => minutes[name]),
  ]);
  return [head, ...rows].map(csvLine).join('');
}

/** The stoppages as CSV. */
function stoppagesCsv({ shift, stopped }: Tables, unit: (id: string) => string): string {
  const head = ['shift', 'date', 'machine', 'started_at', 'ended_at', 'minutes', 'category', 'repair_ticket_id'];
  const rows = stopped.map((one) => [
    ...[shift.name, shift.date, unit(one.equipment_id), one.started_at, one.ended_at],
    ...[one.minutes, one.category, one.repair_ticket_id],
  ]);
  return [head, ...rows].map(csvLine).join('');
}

/** Buttons that save the minutes of machines and the stoppages as CSV files. */
export function CsvButtons({ of, unit }: { of: Tables; unit(id: string): string }) {
  const name = `shift-${of.shift.date}-${of.shift.name.replaceAll(/[^\p{L}\p{N}]+/gu, '-')}`;
  return (
    <>
      <button type="button" onClick={() => saveText(timesCsv(of, unit), `${name}-times.csv`)}>
        {t('Times as CSV')}
      </button>
      {of.stopped.length > 0 && (
        <button type="button" onClick={() => saveText(stoppagesCsv(of, unit), `${name}-stoppages.csv`)}>
          {t('Stoppages as CSV')}
        </button>
      )}
    </>
  );
}

const share = (value: number | null): string =>
  value === null ? '–' : value.toLocaleString(language().tag, { style: 'percent', maximumFractionDigits: 0 });

const cell = (minutes: number): string => (minutes === 0 ? '–' : minutesText(minutes));

/** The minutes of each machine in a report, and their sum. A category that no machine has gets no column. */
export function UsageTable({ usage, unit }: { usage: Usage; unit(id: string): string }) {
  const sum = (name: TimeUsage) => usage.reduce((total, { minutes }) => total + minutes[name], 0);
  const shown = TIME_USAGE.filter((name) => sum(name) > 0);
  if (usage.length === 0) return <p class="aside">{t('None')}</p>;
  const machines = usage
    .map((one) => ({ ...one, unit_number: unit(one.equipment_id) }))
    .sort((a, b) => a.unit_number.localeCompare(b.unit_number, language().tag, { numeric: true }));
  return (
    <div class="table stacks close">
      <table class="shift-usage">
        <thead>
          <tr>
            <th scope="col">{t('Machine')}</th>
            {shown.map((name) => (
              <th key={name} scope="col" class="figure">
                {t(USAGE_WORDS[name])}
              </th>
            ))}
            <th scope="col" class="figure">
              {t('Operating, of the known time')}
            </th>
          </tr>
        </thead>
        <tbody>
          {machines.map(({ equipment_id, unit_number, minutes, kpi }) => (
            <tr key={equipment_id}>
              <th scope="row">
                <a href={`#machines/${equipment_id}`}>{unit_number}</a>
              </th>
              {shown.map((name) => (
                <td key={name} class="figure" data-label={t(USAGE_WORDS[name])}>
                  {cell(minutes[name])}
                </td>
              ))}
              <td class="figure" data-label={t('Operating, of the known time')}>
                {share(kpi.operating_utilisation)}
              </td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">{t('All machines')}</th>
            {shown.map((name) => (
              <td key={name} class="figure" data-label={t(USAGE_WORDS[name])}>
                {cell(sum(name))}
              </td>
            ))}
            <td />
          </tr>
        </tfoot>
      </table>
    </div>
  );
}
