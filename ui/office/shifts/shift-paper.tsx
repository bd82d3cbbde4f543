/** What the page of a shift report needs on paper: the button that prints, and the minutes of each machine as they were submitted. */
import type { Output } from '#contract/operations.ts';
import { TIME_USAGE, type TimeUsage } from '#contract/work/shift-report.ts';
import { language, t } from '#ui/languages/texts.ts';
import { minutesText, USAGE_WORDS } from './shift-text.ts';

type Usage = Output<'shift_reports_get'>['time_usage'];

/** Opens the print dialog of the browser, which can also save a PDF ([U370]). */
export const PrintButton = () => (
  <button type="button" onClick={() => print()}>
    {t('Print or save as PDF')}
  </button>
);

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
