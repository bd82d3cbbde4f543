/** The skill "Summary of the day" by rules: the sentences that the page Now and the tile of a day show. */
import { say } from '#contract/base/told.ts';
import type { SiteDay } from '#contract/work/day.ts';
import { siteClock } from './reads.ts';
import type { Line, Rules } from './rule-run.ts';

export const dailySummary: Rules = async (run) => {
  const id = run.project_id;
  const project = await run.use('projects_get', { id, include: 'days', fields: 'id,days' });
  if (project?.days == null) return [[say('The summary of the day could not be read.')]];
  run.cite('project', id);
  const { yesterday, today } = project.days;
  const when = siteClock(run);
  const linesOf = ({ sentences }: SiteDay): Line[] => sentences.map(({ text, params }) => [{ text, params }]);
  return [
    [say('Yesterday:')],
    ...linesOf(yesterday),
    [say('Today until {at}:', { at: when(new Date(today.to_ms).toISOString()) })],
    ...linesOf(today),
  ];
};
