/** The page of the person who is signed in: role, passphrase, PIN, and the browsers in which the person is signed in. */
import { useState } from 'preact/hooks';
import { PIN_ROLES } from '#contract/site/user.ts';
import { said, t } from '#ui/languages/texts.ts';
import { Field, Form, Problem } from '#ui/office/base/parts.tsx';
import type { Session } from '#ui/office/base/session.ts';
import { roleText } from '#ui/office/base/status-words.ts';
import { useSend } from '#ui/office/base/use.ts';
import { LanguageChoice } from '#ui/office/language/language-choice.tsx';
import { renewPass } from '#ui/office/outbox/later.ts';
import { SessionList } from './session-list.tsx';
import { OwnTokens } from './token-list.tsx';

function ChangePassphrase({ session, user }: { session: Session; user: string }) {
  const [current, setCurrent] = useState('');
  const [passphrase, setPassphrase] = useState('');
  const [again, setAgain] = useState('');
  const [saved, setSaved] = useState(false);
  const { busy, problem, send } = useSend();
  return (
    <section class="panel-box">
      <h2>{t('Change the passphrase')}</h2>
      <Form
        action={t('Save')}
        busy={busy}
        onSend={() =>
          send(async () => {
            setSaved(false);
            if (passphrase !== again) throw new Error(t('The two new passphrases differ. Type them again.'));
            await session.client.call('users_passphrase', { id: user, current, passphrase });
            renewPass(session);
            for (const clear of [setCurrent, setPassphrase, setAgain]) clear('');
            setSaved(true);
          })
        }
      >
        <Field label={t('Current passphrase')} value={current} onValue={setCurrent} required secret maxLength={128} />
        <Field label={t('New passphrase')} value={passphrase} onValue={setPassphrase} required secret maxLength={128} />
        <Field label={t('New passphrase again')} value={again} onValue={setAgain} required secret maxLength={128} />
        <Problem text={problem} />
      </Form>
      <p role="status" class="arrived">
        {saved ? t('Saved. Your other browsers are signed out.') : ''}
      </p>
    </section>
  );
}

/** The PIN with which the person signs in on a shared tablet. */
function ChangePin({ session, user }: { session: Session; user: NonNullable<Session['me']['user']> }) {
  const [current, setCurrent] = useState('');
  const [pin, setPin] = useState('');
  const [again, setAgain] = useState('');
  const [state, setState] = useState(user.pin);
  const [saved, setSaved] = useState(false);
  const { busy, problem, send } = useSend();
  const onTablet = session.me.tablet !== null;
  if (!PIN_ROLES.some((role) => role === user.role))
    return (
      <section class="panel-box">
        <h2>{t('PIN for shared tablets')}</h2>
        <p class="aside">
          {t('Owners and admins sign in with their passphrase only. A PIN of 6 digits is too short for their rights.')}
        </p>
      </section>
    );
  return (
    <section class="panel-box">
      <h2>{state === 'set' ? t('Change the PIN for shared tablets') : t('Set a PIN for shared tablets')}</h2>
      <Form
        action={t('Save the PIN')}
        busy={busy}
        onSend={() =>
          send(async () => {
            setSaved(false);
            if (pin !== again) throw new Error(t('The two new PINs differ. Type them again.'));
            setState((await session.client.call('users_pin', { id: user.id, current, pin })).pin);
            renewPass(session);
            for (const clear of [setCurrent, setPin, setAgain]) clear('');
            setSaved(true);
          })
        }
      >
        <Field
          label={onTablet ? t('Current PIN') : t('Your passphrase')}
          value={current}
          onValue={setCurrent}
          required
          secret
          maxLength={onTablet ? 6 : 128}
        />
        <Field
          label={t('New PIN')}
          value={pin}
          onValue={setPin}
          required
          secret
          maxLength={6}
          hint={t('6 digits that are not easy to guess, such as no sequence and no repeated digits.')}
        />
        <Field label={t('New PIN again')} value={again} onValue={setAgain} required secret maxLength={6} />
        <Problem text={problem} />
      </Form>
      <p role="status" class="arrived">
        {saved ? t('Saved. You can sign in with this PIN on each shared tablet that lists you.') : ''}
      </p>
    </section>
  );
}

export function AccountPage({ session }: { session: Session }) {
  const { me } = session;
  return (
    <>
      <h1>{t('My account')}</h1>
      <p>
        {me.name}, {roleText(me.role)}.
      </p>
      <section class="panel-box">
        <LanguageChoice session={session} />
      </section>
      {me.user === null ? (
        <p class="aside">
          {said('You signed in with a key. On the page {a} an owner or admin creates an account for you.', {
            a: <a href="#users">{t('Users')}</a>,
          })}
        </p>
      ) : (
        <>
          {me.tablet === null && <ChangePassphrase session={session} user={me.user.id} />}
          <ChangePin session={session} user={me.user} />
          <section class="panel-box">
            <h2>{t('Where you are signed in')}</h2>
            <SessionList session={session} user={me.user.id} />
          </section>
          {me.tablet === null && <OwnTokens session={session} user={me.user.id} />}
        </>
      )}
    </>
  );
}
