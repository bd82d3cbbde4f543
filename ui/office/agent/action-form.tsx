/** The form of a custom action. */
import { useState } from 'preact/hooks';
import { ClientError } from '#contract/client.ts';
import { CATALOG_SKILL_IDS } from '#contract/skill-names.ts';
import { said, t, type Word } from '#ui/languages/texts.ts';
import { parseInteger } from '#ui/office/base/numbers.ts';
import { Choice, Field, Problem } from '#ui/office/base/parts.tsx';
import { NumberField, PickMany, TextArea, Toggle } from '#ui/office/base/picks.tsx';
import type { Session } from '#ui/office/base/session.ts';
import { useWrite } from '#ui/office/work/write.ts';
import { type Action, type ActionPlace, PLACE_WORDS, placesOf, SCOPE_WORDS, type Scope } from './action-text.ts';

/** The fields as a person types them. */
export interface ActionDraft {
  readonly label: string;
  readonly emoji: string;
  readonly prompt: string;
  readonly scope: Scope;
  readonly placement: readonly ActionPlace[];
  readonly skill_id: string;
  readonly order: string;
  readonly confirm: boolean;
  readonly enabled: boolean;
}

export const NEW_ACTION: ActionDraft = {
  label: '',
  emoji: '🔎',
  prompt: '',
  scope: 'equipment',
  placement: ['equipment'],
  skill_id: '',
  order: '0',
  confirm: false,
  enabled: true,
};

/** What the gateway accepts is one emoji and nothing else; letters are the usual mistake. */
const EMOJI = /^[^\p{L}\s]*(?:\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20e3)[^\p{L}\s]*$/u;

const isScope = (scope: string): scope is Scope => scope in SCOPE_WORDS;
const isPlace = (place: string): place is ActionPlace => place in PLACE_WORDS;

/** Returns the fields of a stored action; undefined if a newer version wrote a value that this page does not know. */
export function draftOf(action: Action): ActionDraft | undefined {
  const { label, emoji, prompt, scope, placement, skill_id, order, confirm, enabled } = action;
  if (!isScope(scope) || !placement.every(isPlace)) return undefined;
  return {
    ...{ label, emoji, prompt, scope, confirm, enabled },
    placement: placement.filter(isPlace),
    skill_id: skill_id ?? '',
    order: String(order),
  };
}

/** Examples for a person who has no action yet. */
const EXAMPLES: readonly (Pick<ActionDraft, 'emoji' | 'scope' | 'placement' | 'skill_id'> & {
  readonly label: Word;
  readonly prompt: Word;
})[] = [
  {
    emoji: '📡',
    label: 'Why is it silent?',
    prompt: 'Find out why this machine sends no data, and say what a person can do on site.',
    scope: 'equipment',
    placement: ['equipment'],
    skill_id: 'why_silent',
  },
  {
    emoji: '📋',
    label: 'Summary of the day',
    prompt:
      'Summarize the last day of the site: what stood still, what was repaired, and what needs somebody tomorrow.',
    scope: 'project',
    placement: ['home'],
    skill_id: 'daily_summary',
  },
  {
    emoji: '⛽',
    label: 'Who needs fuel?',
    prompt: 'Which machines will need fuel in the next shift? List the emptiest first.',
    scope: 'project',
    placement: ['home', 'tablet'],
    skill_id: '',
  },
];

/** Buttons that fill the form with an example. */
export function Examples({ onExample }: { onExample(draft: ActionDraft): void }) {
  return (
    <div class="actions">
      {EXAMPLES.map(({ label, prompt, ...example }) => (
        <button
          key={label}
          type="button"
          onClick={() => onExample({ ...NEW_ACTION, ...example, label: t(label), prompt: t(prompt) })}
        >
          {example.emoji} {t(label)}
        </button>
      ))}
    </div>
  );
}

/** The form. `action`: the stored action that it changes; null for a new one. */
export function ActionForm(props: {
  session: Session;
  action: Action | null;
  draft: ActionDraft;
  onDone(): void;
  /** Called when the gateway refused the change, because another person has changed the action since the form opened. */
  onStale(): void;
  onClose(): void;
}) {
  const { session, onDone, onStale, onClose } = props;
  // The list is read again while the form is open, and a change must not replace what came since.
  const [action] = useState(props.action);
  const [draft, setDraft] = useState(props.draft);
  const { busy, problem, write } = useWrite();
  const set = (part: Partial<ActionDraft>) => setDraft((before) => ({ ...before, ...part }));
  const places = placesOf(draft.scope);
  const save = () =>
    write(async (once) => {
      if (!EMOJI.test(draft.emoji)) throw new Error(t('Enter one emoji, such as {example}.', { example: '🔧' }));
      const fields = {
        ...draft,
        emoji: draft.emoji.trim(),
        placement: draft.placement.filter((place) => places.includes(place)),
        skill_id: draft.skill_id.trim() === '' ? null : draft.skill_id.trim(),
        order: parseInteger(draft.order, 10_000, t('Position')) ?? 0,
      };
      if (action === null) await session.client.call('custom_actions_create', fields, once);
      else {
        const { id, revision } = action;
        try {
          await session.client.call('custom_actions_update', { id, ...fields }, { ...once, if_match: revision });
        } catch (error) {
          if (!(error instanceof ClientError) || error.code !== 'revision_mismatch') throw error;
          onStale();
          throw new Error(t('Not saved: another person changed this action. Open the form again to see the change.'));
        }
      }
      onDone();
    });
  return (
    <form
      class="form nested"
      aria-label={action === null ? t('New action') : action.label}
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <Field
        label={t('Name on the button')}
        value={draft.label}
        onValue={(label) => set({ label })}
        maxLength={60}
        required
        autoFocus
      />
      <Field
        label={t('Emoji')}
        value={draft.emoji}
        onValue={(emoji) => set({ emoji })}
        maxLength={16}
        required
        offers={['🔎', '📡', '📋', '⛽', '🔧', '🌙']}
        hint={t('One emoji. It stands before the name.')}
      />
      <Choice
        label={t('It concerns')}
        value={draft.scope}
        options={Object.entries(SCOPE_WORDS).map(([value, word]) => [value, t(word)] as const)}
        onValue={(scope) => isScope(scope) && set({ scope })}
      />
      <TextArea
        label={t('Prompt')}
        value={draft.prompt}
        onValue={(prompt) => set({ prompt })}
        maxLength={20_000}
        required
        hint={t('What the model shall do. It gets the machine or location of the run by itself.')}
      />
      <PickMany
        label={t('Offered on')}
        values={draft.placement}
        options={places.map((place) => [place, t(PLACE_WORDS[place])] as const)}
        onValues={(values) => set({ placement: values.filter(isPlace) })}
        hint={t('Mechanics and operators can start an action there. This page offers every action.')}
      />
      <Field
        label={t('Skill (optional)')}
        value={draft.skill_id}
        onValue={(skill_id) => set({ skill_id })}
        mono
        offers={CATALOG_SKILL_IDS}
        hint={said('Its instructions are added to the prompt. An imported skill, or one of {skills}.', {
          skills: <code>{CATALOG_SKILL_IDS.join(', ')}</code>,
        })}
      />
      <NumberField
        label={t('Position')}
        value={draft.order}
        onValue={(order) => set({ order })}
        hint={t('Actions with smaller numbers stand first.')}
      />
      <Toggle label={t('Ask before it starts')} value={draft.confirm} onValue={(confirm) => set({ confirm })} />
      <Toggle label={t('People may start it')} value={draft.enabled} onValue={(enabled) => set({ enabled })} />
      <Problem text={problem} />
      <div class="actions">
        <button type="submit" class="primary" disabled={busy}>
          {busy ? t('Saving') : action === null ? t('Create the action') : t('Save')}
        </button>
        <button type="button" onClick={onClose}>
          {t('Cancel')}
        </button>
      </div>
    </form>
  );
}
