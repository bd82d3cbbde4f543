/** The form that adds or edits a person. */

import { useId, useState } from 'preact/hooks';
import { ClientError } from '#contract/client.ts';
import { t } from '#ui/languages/texts.ts';
import { Choice, Field, Form, Problem } from '#ui/office/base/parts.tsx';
import { newIdempotencyKey, type Session } from '#ui/office/base/session.ts';
import { useSend } from '#ui/office/base/use.ts';
import {
  fieldWord,
  type Mechanic,
  type Person,
  ROSTERS,
  type Roster,
  STATUS_CHOICES,
  STATUS_WORDS,
} from './people-text.ts';

interface Draft {
  readonly name: string;
  readonly employee_number: string;
  readonly badge_id: string;
  readonly phone: string;
  readonly crew: string;
  readonly status: Person['status'];
  readonly location_id: string;
  readonly language: string;
  readonly trades: string;
  readonly certifications: readonly { readonly code: string; readonly expires_on: string }[];
}

function draftOf(person: Person | null): Draft {
  return {
    name: person?.name ?? '',
    employee_number: person?.employee_number ?? '',
    badge_id: person?.badge_id ?? '',
    phone: person?.phone ?? '',
    crew: person?.crew ?? '',
    status: person?.status ?? 'active',
    location_id: person?.location_id ?? '',
    language: person?.language ?? '',
    trades: (person as Mechanic | null)?.trades?.join(', ') ?? '',
    certifications: (person?.certifications ?? []).map((one) => ({ ...one, expires_on: one.expires_on ?? '' })),
  };
}

/** Converts the form to the input of the API operation. An empty field becomes null. */
function inputOf(draft: Draft, roster: Roster) {
  const text = (value: string) => value.trim() || null;
  return {
    name: draft.name.trim(),
    employee_number: text(draft.employee_number),
    badge_id: text(draft.badge_id),
    phone: text(draft.phone),
    crew: text(draft.crew),
    // A status that only a newer version knows is kept.
    ...(draft.status !== 'unknown' && { status: draft.status }),
    location_id: draft.location_id || null,
    language: text(draft.language),
    certifications: draft.certifications
      .filter(({ code }) => code.trim() !== '')
      .map(({ code, expires_on }) => ({ code: code.trim(), expires_on: expires_on || null })),
    ...(roster === 'mechanics' && {
      trades: draft.trades
        .split(/[;,]/)
        .map((one) => one.trim())
        .filter((one) => one !== ''),
    }),
  };
}

/** Returns the fields in which two drafts differ. */
function changed(before: Draft, after: Draft): (keyof Draft)[] {
  return (Object.keys(before) as (keyof Draft)[]).filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
}

function Certificates(props: { value: Draft['certifications']; onValue(value: Draft['certifications']): void }) {
  const id = useId();
  const { value, onValue } = props;
  const put = (i: number, more: Partial<Draft['certifications'][number]>) =>
    onValue(value.map((one, k) => (k === i ? { ...one, ...more } : one)));
  return (
    <fieldset class="who certificates">
      <legend>{t('Certificates')}</legend>
      {value.map((one, i) => (
        <div key={i} class="certificate">
          <div class="field">
            <label for={`${id}c${i}`}>{t('Certificate')}</label>
            <input
              id={`${id}c${i}`}
              type="text"
              maxLength={60}
              value={one.code}
              onInput={(event) => put(i, { code: event.currentTarget.value })}
            />
          </div>
          <div class="field">
            <label for={`${id}d${i}`}>{t('Valid until (optional)')}</label>
            <input
              id={`${id}d${i}`}
              type="date"
              value={one.expires_on}
              onInput={(event) => put(i, { expires_on: event.currentTarget.value })}
            />
          </div>
          <button type="button" class="quiet" onClick={() => onValue(value.filter((_, k) => k !== i))}>
            {t('Remove')}
            <span class="hidden"> {one.code}</span>
          </button>
        </div>
      ))}
      <button type="button" onClick={() => onValue([...value, { code: '', expires_on: '' }])}>
        {t('Add a certificate')}
      </button>
    </fieldset>
  );
}

export function PersonForm(props: {
  session: Session;
  roster: Roster;
  /** The person to edit; null if the form adds a person. */
  person: Person | null;
  places: readonly { readonly id: string; readonly name: string }[];
  onDone(id: string): void;
}) {
  const { session, roster, person } = props;
  const [base, setBase] = useState(() => ({ draft: draftOf(person), revision: person?.revision ?? 0 }));
  const [draft, setDraft] = useState(base.draft);
  const [conflict, setConflict] = useState<string | null>(null);
  const { busy, problem, send } = useSend();
  const put =
    <N extends keyof Draft>(name: N) =>
    (value: Draft[N]) =>
      setDraft((before) => ({ ...before, [name]: value }));
  const mine = changed(base.draft, draft);
  const write = async () => {
    const whole = inputOf(draft, roster);
    const once = { idempotency_key: newIdempotencyKey() };
    if (person === null) {
      const given = Object.fromEntries(Object.entries(whole).filter(([, value]) => value !== null));
      props.onDone((await session.client.call(ROSTERS[roster].create, given as typeof whole, once)).id);
      return;
    }
    const input = Object.fromEntries(Object.entries(whole).filter(([name]) => mine.includes(name as keyof Draft)));
    const made = await session.client.call(
      ROSTERS[roster].update,
      { id: person.id, ...input },
      { ...once, if_match: base.revision },
    );
    props.onDone(made.id);
  };
  const save = () =>
    send(async () => {
      try {
        await write();
      } catch (error) {
        if (!(error instanceof ClientError) || error.code !== 'revision_mismatch' || person === null) throw error;
        // Another user has saved changes of this person first. Show the saved values in all fields that this user has not edited, and
        // report what has changed.
        const { data } = await session.client.call(ROSTERS[roster].list, { limit: 200, q: person.name.slice(0, 80) });
        const now = data.find(({ id }) => id === person.id);
        if (now === undefined) throw error;
        const theirs = draftOf(now);
        const moved = changed(base.draft, theirs);
        setDraft({ ...theirs, ...Object.fromEntries(mine.map((name) => [name, draft[name]])) } as Draft);
        setBase({ draft: theirs, revision: now.revision });
        setConflict(
          t('Not saved: another person changed {fields}. Your changes are still here. Save again to keep them.', {
            fields: moved.map(fieldWord).join(', ') || t('this person'),
          }),
        );
        return;
      }
      setConflict(null);
    });
  return (
    <Form action={person === null ? t(ROSTERS[roster].save) : t('Save')} busy={busy} onSend={save}>
      <div class="pair">
        <Field label={t('Name')} value={draft.name} onValue={put('name')} required autoFocus />
        <Field label={t('Number')} value={draft.employee_number} onValue={put('employee_number')} maxLength={40} />
        <Field label={t('Badge')} value={draft.badge_id} onValue={put('badge_id')} maxLength={64} />
        <Field label={t('Phone')} value={draft.phone} onValue={put('phone')} maxLength={40} />
        <Field label={t('Crew or shift')} value={draft.crew} onValue={put('crew')} maxLength={60} />
        <Choice
          label={t('Status')}
          value={draft.status}
          onValue={(value) => put('status')(value as Draft['status'])}
          options={Object.entries(base.draft.status === 'unknown' ? STATUS_WORDS : STATUS_CHOICES).map(
            ([value, word]) => [value, t(word)] as const,
          )}
        />
        <Choice
          label={t('Place')}
          value={draft.location_id}
          onValue={put('location_id')}
          options={[['', t('None')] as const, ...props.places.map((one) => [one.id, one.name] as const)]}
        />
        <Field
          label={t('Language')}
          value={draft.language}
          onValue={put('language')}
          maxLength={16}
          hint={t('For example {tags}', { tags: 'en, pt, es' })}
        />
        {roster === 'mechanics' && (
          <Field
            label={t('Trades')}
            value={draft.trades}
            onValue={put('trades')}
            maxLength={400}
            hint={t('For example diesel, hydraulics')}
          />
        )}
      </div>
      <Certificates value={draft.certifications} onValue={put('certifications')} />
      <Problem text={problem ?? conflict} />
    </Form>
  );
}
