/**
 * The words of the pages for the reasons that the gateway sends as a code with parameters. Each language is one table of templates, so a
 * further language is a further table. The templates of a code begin with the longest one; a place in braces is a parameter, and a template
 * with a missing parameter is left out.
 */
import type { Reason } from '#contract/site/trouble.ts';
import type { Sentence, Trend } from '#contract/work/attention.ts';
import { duration } from './format.ts';

interface Words {
  readonly reasons: Readonly<Record<Sentence['code'], readonly string[]>>;
  readonly trends: Readonly<Record<Trend, string>>;
  readonly runs: Readonly<Record<NonNullable<Reason['runs']>, string>>;
  readonly owner: readonly string[];
  readonly somebody: readonly string[];
  readonly nobody: readonly string[];
  readonly grades: Readonly<Record<Reason['grade'], string>>;
  /** Texts of the strip of a status board. */
  readonly strip: Readonly<
    Record<
      'above' | 'above_short' | 'rest' | 'all' | 'service' | 'no_data' | 'running' | 'idle' | 'off' | 'fine' | 'silent',
      string
    >
  >;
}

const VALUE = ['{label} {value} {unit}, {trend}', '{label} {value} {unit}', '{value} {unit}', '{label}'];

const ENGLISH: Words = {
  reasons: {
    report: ['{title}, still {runs}', '{title}', 'Safety repair', 'Safety'],
    repair: ['Repair: {title}', 'Urgent repair', 'Repair'],
    value_over: VALUE,
    value_under: VALUE,
    value_change: [
      '{label} up {up} {unit} in {time}',
      '{label} down {down} {unit} in {time}',
      '{label} up {up} {unit}',
      '{label} down {down} {unit}',
      '{label}',
    ],
    level: ['{label} {value} {unit}', '{value} {unit}', '{label}'],
    code: ['{name}: {how}', 'SPN {spn}: {how}', 'SPN {spn} FMI {fmi}', 'Code'],
    lamp: ['{lamp}: {name} {how}', '{lamp} on', '{lamp}', 'Lamp'],
    fence_in: ['Inside the geofence', 'In the fence'],
    fence_out: ['Left the geofence', 'Left the fence'],
    service: ['{text}', 'Service due', 'Service'],
    rule: ['{rule}', 'Alert'],
    down: ['Down: {title}', 'Down'],
    down_running: ['Reported down, yet running', 'Down, yet running'],
    service_moving: ['In service, yet running', 'Service, yet running'],
    silent: ['No data'],
  },
  trends: {
    still_rising: 'still rising',
    rising: 'rising',
    rising_slowly: 'rising slowly',
    steady: 'steady',
    falling_slowly: 'falling slowly',
    falling: 'falling',
    still_falling: 'still falling',
  },
  runs: { driving: 'driving', running: 'running' },
  owner: ['{name} is on it', '{name}'],
  somebody: ['Somebody is on it', 'Somebody'],
  nobody: ['Nobody on it yet', 'Nobody yet'],
  grades: { act: 'Act now', look: 'Look soon', note: 'Good to know' },
  strip: {
    above: 'shown above',
    above_short: 'above',
    rest: 'The rest: {fine} of {all} fine',
    all: '{all} machines',
    service: 'in service',
    no_data: 'no data',
    running: 'running',
    idle: 'idle',
    off: 'off',
    fine: 'Fine',
    silent: 'No data',
  },
};

/** The words in the language of the page. */
export const words: Words = ENGLISH;

/** Fills one template; an absent parameter stays empty. */
export function fill(template: string, params: Readonly<Record<string, string | number | undefined>>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => String(params[name] ?? ''));
}

/** Fills templates with parameters. A template whose parameters are not all present is left out. */
function filled(templates: readonly string[], params: Parameters<typeof fill>[1]): string[] {
  const isWhole = (template: string) =>
    (template.match(/\w+(?=\})/g) ?? []).every((name) => params[name] !== undefined);
  return templates.filter(isWhole).map((template) => fill(template, params));
}

/** Returns a reason in words, the longest text first. */
export function reasonTexts({ says, trend, runs }: Reason): string[] {
  const { code, params } = says;
  return filled(words.reasons[code], {
    ...params,
    trend: trend && words.trends[trend],
    runs: runs && words.runs[runs],
    time: params.seconds === undefined ? undefined : duration(Number(params.seconds) * 1000),
  });
}

/** Returns who is on a reason, the longest text first. */
export function ownerTexts({ owner }: Pick<Reason, 'owner'>): readonly string[] {
  if (owner === undefined) return words.nobody;
  return owner === '' ? words.somebody : filled(words.owner, { name: owner });
}
