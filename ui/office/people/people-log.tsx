/** The log of a person, and a form that adds an entry. */

import { useState } from 'preact/hooks';
import { moment } from '#ui/format.ts';
import { t, type Word } from '#ui/languages/texts.ts';
import { Choice, Field, Form, Problem } from '#ui/office/base/parts.tsx';
import { may, newIdempotencyKey, type Session } from '#ui/office/base/session.ts';
import { usePolled, useSend } from '#ui/office/base/use.ts';
import { eventText, type Person, ROSTERS, type Roster } from './people-text.ts';

const KINDS = [
  ['note', 'Note'],
  ['signed_on', 'Signed on'],
  ['signed_off', 'Signed off'],
  ['certified', 'Certified'],
] as const satisfies readonly (readonly [string, Word])[];

export function PersonLog({ session, roster, person }: { session: Session; roster: Roster; person: Person }) {
  const { client, project } = session;
  const { events, append } = ROSTERS[roster];
  const { data, problem, reload } = usePolled(() => client.call(events, { id: person.id, limit: 50 }), 10_000, [
    person.id,
    person.revision,
  ]);
  const [kind, setKind] = useState('note');
  const [text, setText] = useState('');
  const sending = useSend();
  const now = session.now();
  return (
    <section aria-label={t('Log')} class="log">
      <h3>{t('Log')}</h3>
      {may(session, append) && (
        <Form
          action={t('Add to log')}
          busy={sending.busy}
          onSend={() =>
            sending.send(async () => {
              const note = text.trim();
              const input = { id: person.id, type: kind, data: note === '' ? {} : { text: note } };
              await client.call(append, input, { idempotency_key: newIdempotencyKey() });
              setText('');
              setKind('note');
              reload();
            })
          }
        >
          <div class="pair">
            <Choice
              label={t('Type')}
              value={kind}
              options={KINDS.map(([value, word]) => [value, t(word)] as const)}
              onValue={setKind}
            />
            <Field label={t('Text')} value={text} onValue={setText} required={kind === 'note'} maxLength={2_000} />
          </div>
          <Problem text={sending.problem} />
        </Form>
      )}
      <Problem text={problem} />
      {data === null && problem === null && <p class="waiting">{t('Loading')}</p>}
      <ol class="log-lines">
        {(data?.data ?? []).map((one) => (
          <li key={one.id}>
            <span>{eventText(one)}</span>
            <small>
              {moment(Date.parse(one.occurred_at), now, project.timezone)}
              {one.actor.name !== null && `, ${one.actor.name}`}
            </small>
          </li>
        ))}
      </ol>
      {data?.has_more && <p class="aside">{t('This page shows the 50 newest entries.')}</p>}
    </section>
  );
}
