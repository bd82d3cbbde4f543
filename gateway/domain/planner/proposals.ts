/** Gaps for the objects of which the planner is not certain: the words, the reason in one sentence, and the objects filled in. */

import type { Text } from '#domain/sentences/items.ts';
import type { Doubt, DoubtReason } from './fleet-types.ts';
import type { GapCode, PlanGap, Proposal } from './plan-types.ts';

/** The reason in one sentence. `words` are the words that raise the doubt. */
const REASONS: Readonly<Record<DoubtReason, (words: string) => string>> = {
  past: (words) => `"${words}" may speak of the past.`,
  future: (words) => `"${words}" may speak of later.`,
  unsure: (words) => `"${words}" says that this is not certain, or not so.`,
  others: (words) => `"${words}" may speak of another place or of another owner.`,
  another: (words) => `"${words}" may speak of other machines than those that are counted here.`,
  sometimes: (words) => `"${words}" may say that they are not always there.`,
  opening: (words) => `"${words}" may speak of opening hours.`,
  compared: (words) => `"${words}" may compare, or count something else than machines.`,
  gone: (words) => `"${words}" may say that something here is not on the site.`,
  vague: (words) => `"${words}" gives no exact number.`,
  unknown_words: (words) => `The planner does not know what "${words}" says here.`,
  unread_number: (words) => `"${words}" may be a number of one of these machines.`,
  rate: () => 'This may be a count of trips or loads.',
  counted_twice: (words) => `"${words}" names machines of the same kind. They may be the same machines.`,
  kind_guessed: () => 'Only the letters of the number tell what kind of machine this is.',
  section_kind: (words) => `Only the heading "${words}" above the row tells what kind of machine this is.`,
  no_digit: () =>
    'Several rows have this number, and it has no digit. If they are several machines, write their unit numbers.',
  common_word: () => 'This word also means something else than a machine.',
  mentioned: (words) => `"${words}" may speak of something else than machines of the site.`,
  guessed_place: (words) => `The planner does not know the words "${words}". They may be a place.`,
  common_place: (words) => `"${words}" may be one of the named places.`,
  model_or_number: (words) => `"${words}" may be a model or a number of a machine.`,
};

const CODES: Readonly<
  Record<keyof Proposal, { readonly code: GapCode; readonly resource: PlanGap['resource']; readonly call: string }>
> = {
  equipment: { code: 'unconfirmed_machines', resource: 'equipment', call: 'equipment_create' },
  locations: { code: 'unconfirmed_places', resource: 'locations', call: 'locations_create' },
  operators: { code: 'unconfirmed_people', resource: 'people', call: 'operators_create' },
  mechanics: { code: 'unconfirmed_people', resource: 'people', call: 'mechanics_create' },
  shifts: { code: 'unconfirmed_shifts', resource: 'shifts', call: 'projects_update' },
  boards: { code: 'unconfirmed_boards', resource: 'boards', call: 'dashboards_create' },
};

const MOST_WORDS = 60;

/** One gap for each doubt, with all its objects. */
export function proposalGaps<K extends keyof Proposal>(
  text: Text,
  list: K,
  doubted: readonly { readonly object: NonNullable<Proposal[K]>[number]; readonly doubt: Doubt }[],
): PlanGap[] {
  const { code, resource, call } = CODES[list];
  const groups = Map.groupBy(doubted, ({ doubt: { reason, span } }) => `${reason} ${span.start}`);
  return [...groups.values()].map((group): PlanGap => {
    const [first] = group as [(typeof group)[number], ...typeof group];
    const { reason, span } = first.doubt;
    const objects = group.map(({ object }) => object);
    return {
      resource,
      code,
      message: REASONS[reason](text.raw.slice(span.start, span.end).slice(0, MOST_WORDS)),
      remedy: `If it is on the site, confirm it on the setup page, or make it with ${call}: \`proposal\` has the fields.`,
      from: [...new Set(objects.flatMap(({ from }) => from))],
      proposal: { [list]: objects },
    };
  });
}
