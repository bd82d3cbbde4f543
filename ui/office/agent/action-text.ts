/** The words for custom actions, their places and the state of their latest run. */
import type { Output } from '#contract/operations.ts';
import { t, type Word } from '#ui/languages/texts.ts';

export type Action = Output<'custom_actions_list'>['data'][number];
export type LastRun = NonNullable<Action['last_run']>;

export const SCOPE_WORDS = {
  project: 'The whole site',
  equipment: 'One machine',
  location: 'One location',
} as const satisfies Record<string, Word>;
export type Scope = keyof typeof SCOPE_WORDS;

export const PLACE_WORDS = {
  home: 'Page Now',
  tablet: 'Page Now of shared tablets',
  equipment: 'Page of each machine',
  location: 'Page Map',
} as const satisfies Record<string, Word>;
export type ActionPlace = keyof typeof PLACE_WORDS;

/** The pages of one kind of object offer only actions that concern such an object. */
const OF_SCOPE: Readonly<Partial<Record<ActionPlace, Scope>>> = { equipment: 'equipment', location: 'location' };

/** Returns the places that can offer an action of this scope. */
export const placesOf = (scope: string): readonly ActionPlace[] =>
  (Object.keys(PLACE_WORDS) as ActionPlace[]).filter((place) => (OF_SCOPE[place] ?? scope) === scope);

/** Returns true if this place offers the action. */
export const isOffered = (
  { enabled, placement, scope }: Pick<Action, 'enabled' | 'placement' | 'scope'>,
  place: ActionPlace,
): boolean => enabled && placement.includes(place) && placesOf(scope).includes(place);

export const nameOf = ({ emoji, label }: Pick<Action, 'emoji' | 'label'>): string => `${emoji} ${label}`;

/** Sorts by the position that a person gave, and then by name. */
export const byOrder = (a: Action, b: Action): number => a.order - b.order || a.label.localeCompare(b.label);

export const isActive = (run: LastRun | null): boolean => run?.status === 'pending' || run?.status === 'running';

const STATES: Readonly<Record<LastRun['status'], Word>> = {
  pending: 'Waits in the queue',
  running: 'Runs now',
  completed: 'Done',
  failed: 'Failed',
  canceled: 'Canceled',
};

export const waitsForApproval = ({ code }: LastRun): boolean => code === 'project_awaiting_approval';

export const stateText = (run: LastRun): string => t(waitsForApproval(run) ? 'Needs an approval' : STATES[run.status]);

/** What a run would do that starts now, if it would not simply work. */
export const NOT_READY: Readonly<Record<Exclude<NonNullable<Action['readiness']>, 'ready'>, Word>> = {
  by_rules: 'No model is set, so rules do this work.',
  no_model: 'No model is set, so each run fails at once. An admin sets a model on the page Agent.',
  paused: 'The agent is paused, so each run ends at once. An admin changes this on the page Agent.',
  needs_approval: 'Each run waits for an approval first. Owners, admins and approvers give it on the page Agent.',
  unreadable: 'The settings of the agent are damaged, so each run fails. An admin saves them again on the page Agent.',
};
