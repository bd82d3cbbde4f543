/** Reads that the rules of several skills need: the machine of the request, and times as the clock of the site shows them. */
import { say } from '#contract/base/told.ts';
import type { Line, RuleRun } from './rule-run.ts';

/** A list of machines has pages of this length; the search for the names in a request reads at most so many of them. */
const PAGE = 200;
const MOST_PAGES = 10;
/** Largest number of machines that one request concerns. */
const MOST_MACHINES = 3;

/** Returns a function that writes a time as the clock of the site shows it. */
export function siteClock({ site }: RuleRun): (at: string) => string {
  // The Swedish form is 2026-11-28 06:12.
  const form = new Intl.DateTimeFormat('sv-SE', { timeZone: site.timezone, dateStyle: 'short', timeStyle: 'short' });
  return (at) => form.format(new Date(at));
}

/** Returns true if the text has the name as a word of its own. */
export function names(text: string, name: string): boolean {
  const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`(?<![\\p{L}\\p{N}_-])${escaped}(?![\\p{L}\\p{N}_-])`, 'iu').test(text);
}

/** Returns the machines that the work concerns: its subject, or those whose unit number or alias the request has. */
async function machinesOf({ use, links, prompt }: RuleRun): Promise<string[]> {
  if (links.equipment_id !== undefined) return [links.equipment_id];
  const found: string[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const given = cursor === undefined ? {} : { cursor };
    const list = await use('equipment_list', { limit: PAGE, fields: 'id,unit_number,aliases', ...given });
    for (const { id, unit_number, aliases = [] } of list?.data ?? [])
      if ([unit_number, ...aliases].some((name) => name !== undefined && names(prompt, name))) found.push(id);
    cursor = list?.next_cursor ?? undefined;
    if (cursor === undefined) break;
  }
  return found;
}

/**
 * Calls `one` for each machine that the request names, with a function that writes a time as the clock of the site shows it. If the request
 * names no machine, the answer says so.
 */
export async function forMachines(
  run: RuleRun,
  one: (run: RuleRun, id: string, when: (at: string) => string) => Promise<Line[]>,
): Promise<Line[]> {
  const ids = await machinesOf(run);
  const when = siteClock(run);
  if (ids.length === 0) {
    run.lacks(
      'machine_not_named',
      say('The request names no machine of this site.'),
      say('Start the action on a machine, or write its unit number into the request.'),
    );
    return [];
  }
  const lines: Line[] = [];
  for (const id of ids.slice(0, MOST_MACHINES)) lines.push(...(await one(run, id, when)));
  if (ids.length > MOST_MACHINES)
    lines.push([
      say('The request names {all} machines. The answer is about the first {first}.', {
        all: ids.length,
        first: MOST_MACHINES,
      }),
    ]);
  return lines;
}
