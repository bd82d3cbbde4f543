/** The page of the person who is signed in: role, passphrase, and the browsers in which the person is signed in. */
import { useState } from 'preact/hooks';
import { Field, Form, Problem } from '#ui/office/base/parts.tsx';
import type { Session } from '#ui/office/base/session.ts';
import { useSend } from '#ui/office/base/use.ts';
import { ROLE_WORDS } from './role-words.ts';
import { SessionList } from './session-list.tsx';

function ChangePassphrase({ session, user }: { session: Session; user: string }) {
  const [current, setCurrent] = useState('');
  const [passphrase, setPassphrase] = useState('');
  const [again, setAgain] = useState('');
  const [saved, setSaved] = useState(false);
  const { busy, problem, send } = useSend();
  return (
    <section class="panel-box">
      <h2>Change the passphrase</h2>
      <Form
        action="Save"
        busy={busy}
        onSend={() =>
          send(async () => {
            setSaved(false);
            if (passphrase !== again) throw new Error('The two new passphrases differ. Type them again.');
            await session.client.call('users_passphrase', { id: user, current, passphrase });
            for (const clear of [setCurrent, setPassphrase, setAgain]) clear('');
            setSaved(true);
          })
        }
      >
        <Field label="Current passphrase" value={current} onValue={setCurrent} required secret maxLength={128} />
        <Field label="New passphrase" value={passphrase} onValue={setPassphrase} required secret maxLength={128} />
        <Field label="New passphrase again" value={again} onValue={setAgain} required secret maxLength={128} />
        <Problem text={problem} />
      </Form>
      <p role="status" class="arrived">
        {saved ? 'Saved. Your other browsers are signed out.' : ''}
      </p>
    </section>
  );
}

export function AccountPage({ session }: { session: Session }) {
  const { me } = session;
  return (
    <>
      <h1>My account</h1>
      <p>
        {me.name}, {me.role === null ? 'no role' : ROLE_WORDS[me.role]}.
      </p>
      {me.user === null ? (
        <p class="aside">
          You signed in with a key. On the page <a href="#users">Users</a> an owner or admin creates an account for you.
        </p>
      ) : (
        <>
          <ChangePassphrase session={session} user={me.user.id} />
          <section class="panel-box">
            <h2>Where you are signed in</h2>
            <SessionList session={session} user={me.user.id} />
          </section>
        </>
      )}
    </>
  );
}
