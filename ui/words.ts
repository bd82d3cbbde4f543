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
  /** Templates for a reason that is not known to be true any more, for codes with a value or a duration. */
  readonly was: Readonly<Partial<Record<Sentence['code'], readonly string[]>>>;
  readonly trends: Readonly<Record<Trend, string>>;
  readonly runs: Readonly<Record<NonNullable<Reason['runs']>, string>>;
  readonly owner: readonly string[];
  readonly was_owner: readonly string[];
  readonly somebody: readonly string[];
  readonly nobody: readonly string[];
  readonly grades: Readonly<Record<Reason['grade'], string>>;
  /** Texts of the strip of a status board. */
  readonly strip: Readonly<
    Record<
      | 'above'
      | 'above_short'
      | 'rest'
      | 'all'
      | 'as_was'
      | 'lost'
      | 'known'
      | 'check'
      | 'service'
      | 'no_data'
      | 'running'
      | 'idle'
      | 'off'
      | 'fine'
      | 'all_fine'
      | 'silent',
      string
    >
  > & {
    /** What to do while the gateway does not answer, the longest text first. */
    readonly lost_more: readonly string[];
  };
}

const VALUE = ['{label} {value} {unit}, {trend}', '{label} {value} {unit}', '{value} {unit}', '{label}'];

const WAS = ['{label} was {value} {unit}, {trend}', '{label} was {value} {unit}', 'was {value} {unit}', '{label}'];

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
  was: {
    value_over: WAS,
    value_under: WAS,
    level: WAS.slice(1),
    silent: ['Was already silent', 'Was silent'],
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
  was_owner: ['{name} was on it', '{name}'],
  somebody: ['Somebody is on it', 'Somebody'],
  nobody: ['Nobody on it yet', 'Nobody yet'],
  grades: { act: 'Act now', look: 'Look soon', note: 'Good to know' },
  strip: {
    above: 'shown above',
    above_short: 'above',
    rest: 'The rest: {fine} of {all} fine',
    all: '{all} machines',
    as_was: 'As it was at {time}',
    lost: 'Not live since {time}. All below is old.',
    lost_more: [
      'This screen cannot reach the gateway. Use the radio for anything urgent.',
      'No link to the gateway. Use the radio.',
    ],
    known: 'Last known:',
    check: 'Check first: is the gateway on, and does this screen have its network?',
    service: 'in service',
    no_data: 'no data',
    running: 'running',
    idle: 'idle',
    off: 'off',
    fine: 'Fine',
    all_fine: '{fine} of {fine} fine',
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

/** Returns a reason in words, the longest text first. `was`: the reason was true when the gateway last answered. */
export function reasonTexts({ says, trend, runs }: Pick<Reason, 'says' | 'trend' | 'runs'>, was = false): string[] {
  const { code, params } = says;
  return filled((was && words.was[code]) || words.reasons[code], {
    ...params,
    trend: trend && words.trends[trend],
    runs: was ? undefined : runs && words.runs[runs],
    time: params.seconds === undefined ? undefined : duration(Number(params.seconds) * 1000),
  });
}

/** Returns who is on a reason, the longest text first. `was`: who was on it when the gateway last answered. */
export function ownerTexts({ owner }: Pick<Reason, 'owner'>, was = false): readonly string[] {
  if (owner === undefined) return words.nobody;
  return owner === '' ? words.somebody : filled(was ? words.was_owner : words.owner, { name: owner });
}
