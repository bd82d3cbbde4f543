/**
 * The words for reasons, which the gateway keeps as a code with parameters. Screens and webhooks use the same table. The templates of a code
 * begin with the longest one; a place in braces is a parameter, and a template with a missing parameter is left out. Screens translate each
 * template (`ui/languages`).
 */
import type { Grade, Probable, Sentence, Trend } from './attention.ts';

/** The parts of a reason that become a sentence. */
interface Said {
  readonly says: Sentence;
  readonly probably?: Probable;
}

const VALUE = ['{label} {value} {unit}, {trend}', '{label} {value} {unit}', '{value} {unit}', '{label}'] as const;

/** The words of reasons. */
export interface ReasonWords {
  readonly reasons: Readonly<Record<Sentence['code'], readonly string[]>>;
  /** The sentence of a machine without data, if the cause is probable. */
  readonly silent: Readonly<Partial<Record<Probable['code'], readonly string[]>>>;
  readonly trends: Readonly<Record<Trend, string>>;
  readonly runs: Readonly<Record<'driving' | 'running', string>>;
  readonly owner: readonly string[];
  readonly somebody: readonly string[];
  readonly nobody: readonly string[];
  readonly grades: Readonly<Record<Grade, string>>;
}

export const REASON_WORDS = {
  reasons: {
    report: ['{title}, still {runs}', '{title}', 'Safety repair', 'Safety'],
    repair: ['Repair: {title}', 'Urgent repair', 'Repair'],
    breakdown: ['Cannot work: {title}', 'Cannot work'],
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
  silent: {
    no_power: ['No data: probably no power', 'No data: no power?', 'No data'],
    link_lost: ['No data: probably the link to {place}', 'No data: probably the link', 'No data: link?', 'No data'],
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
} as const satisfies ReasonWords;

type Params = Readonly<Record<string, string | number | undefined>>;

/** Fills one template; an absent parameter stays empty. */
export function fill(template: string, params: Params): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => String(params[name] ?? ''));
}

/** Fills templates with parameters. A template whose parameters are not all present is left out. */
export function filled(templates: readonly string[], params: Params): string[] {
  const isWhole = (template: string) =>
    (template.match(/\w+(?=\})/g) ?? []).every((name) => params[name] !== undefined);
  return templates.filter(isWhole).map((template) => fill(template, params));
}

/** Returns the templates of a reason: those of its probable cause, if the cause is part of the sentence. */
export function templatesOf(words: ReasonWords, { says, probably }: Said): readonly string[] {
  const own = says.code === 'silent' && probably !== undefined ? words.silent[probably.code] : undefined;
  return own ?? words.reasons[says.code];
}

/** Returns who is on a reason, the longest text first. */
export function ownerWords(words: ReasonWords, owner: string | undefined): readonly string[] {
  if (owner === undefined) return words.nobody;
  return owner === '' ? words.somebody : filled(words.owner, { name: owner });
}
