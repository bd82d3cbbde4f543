/**
 * The summary of a day of the site: sentences by plain rules, each as a template with parameters. Screens translate the template; the English
 * template is its name.
 */
import { z } from 'zod';

/** The sentences. `at least` stands where growth of a meter may be missing: before its first and after its last value of the day. */
export const DAY_WORDS = {
  no_machines: 'The site has no machines yet.',
  not_known: 'The gateway did not know this site on that day.',
  begun: 'No minute of this day is counted yet.',
  no_state: 'It is not known how the machines spent the {hours} h of this time.',
  time: 'Machines worked {working} of {known} h ({percent} %). Not known: {unknown} h.',
  first_machines: 'Counted are the first {counted} of {all} machines.',
  engine: 'Engines ran at least {hours} h, by the meters of {some} of {all} machines.',
  no_engine: 'Engine hours are not known: no machine sent its meter.',
  fuel: 'Machines used at least {fuel} {unit} of fuel, by the meters of {some} of {all} machines.',
  no_fuel: 'Fuel used is not known: no machine sent its meter.',
  unread: 'Engine hours and fuel are not known: the history of {failed} of {all} machines could not be read.',
  alerts: 'Alerts raised: {raised}. Still open: {open}.',
  tickets: 'Repairs reported: {made}, fixed: {fixed}. Open now: {open}.',
  oldest:
    'Oldest open repair: {ticket} on {machine}, {n} day old.|Oldest open repair: {ticket} on {machine}, {n} days old.',
  now: 'Down now: {down}. Without data now: {silent}.',
  services: 'Services that are due now: {due}.',
} as const;

const Sentence = z
  .object({
    text: z.string().meta({ description: 'English template; `|` divides its form for one from that for another `n`.' }),
    params: z.record(z.string(), z.union([z.string(), z.number()])),
    page: z.string().meta({ description: 'Page of the office with the numbers, such as tickets.' }),
  })
  .meta({ id: 'DaySentence' });
export type DaySentence = z.infer<typeof Sentence>;

const Day = z
  .object({
    from_ms: z.number().int().meta({ description: 'Milliseconds since 1970.' }),
    to_ms: z.number().int(),
    working_percent: z
      .number()
      .nullable()
      .meta({ description: 'Share of the known time in which machines worked; null if no time is known.', unit: '%' }),
    unknown_percent: z.number().meta({ description: 'Share of the time of which nothing is known.', unit: '%' }),
    sentences: z.array(Sentence).meta({ description: 'At most eight.' }),
  })
  .meta({ id: 'SiteDay' });
export type SiteDay = z.infer<typeof Day>;

export const SiteDays = z
  .object({
    yesterday: Day,
    today: Day.meta({ description: 'From midnight at the site to now.' }),
    shift: z
      .object({
        name: z.string(),
        from_ms: z.number().int(),
        fuel_l: z.number().nullable().meta({
          description: 'Fuel used by meters since the shift began, at least; null if no machine sent its meter.',
          unit: 'L',
        }),
        fuel_machines: z.number().int().meta({ description: 'Machines whose meter is counted.' }),
        machines: z.number().int(),
      })
      .nullable()
      .meta({ description: 'The shift that runs now; null between shifts.' }),
  })
  .meta({ id: 'SiteDays' });
export type SiteDays = z.infer<typeof SiteDays>;

/** Makes the summaries and keeps them for five minutes. */
export interface DayReader {
  /** Returns the summaries that are known, and makes them again in the background if they are old; undefined before the first. */
  known(project_id: string): SiteDays | undefined;
  /** Returns the summaries of yesterday and today, which are at most five minutes old. */
  read(project_id: string): Promise<SiteDays>;
}
