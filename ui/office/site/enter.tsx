/** The pages before the office: claim the gateway, sign in, accept an invitation, create the first site. */
import { useState } from 'preact/hooks';
import type { Client } from '#contract/client.ts';
import { PIN_ROLES } from '#contract/site/user.ts';
import { said, t } from '#ui/languages/texts.ts';
import { Field, Form, Problem } from '#ui/office/base/parts.tsx';
import { dropKey, newIdempotencyKey, pageClient, storeKey, storeProject } from '#ui/office/base/session.ts';
import { roleText } from '#ui/office/base/status-words.ts';
import { usePolled, useSend } from '#ui/office/base/use.ts';
import { LanguageChoice } from '#ui/office/language/language-choice.tsx';
import { NetworkName } from './network-name.tsx';
import { ShiftFields, TimeZoneField, USUAL_SHIFTS } from './site-fields.tsx';

type Props = { onIn(): void };

function KeepChoice(props: { forGood: boolean; onChange(forGood: boolean): void }) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={props.forGood}
        onChange={(event) => props.onChange(event.currentTarget.checked)}
      />
      {t('Keep me signed in on this device')}
    </label>
  );
}

/** The two fields of a new passphrase. `problem` is null if both are equal. */
function usePassphrase() {
  const [passphrase, setPassphrase] = useState('');
  const [again, setAgain] = useState('');
  const fields = (
    <>
      <Field
        label={t('Passphrase')}
        value={passphrase}
        onValue={setPassphrase}
        required
        secret
        maxLength={128}
        hint={t('At least 10 characters, for example four words that do not belong together.')}
      />
      <Field label={t('Passphrase again')} value={again} onValue={setAgain} required secret maxLength={128} />
    </>
  );
  return {
    passphrase,
    fields,
    problem: passphrase === again ? null : t('The two passphrases differ. Type them again.'),
  };
}

/** Leaves the page of a claim or an invitation, and opens the office. */
function leave(onIn: () => void): void {
  dropKey();
  history.replaceState(null, '', '/');
  onIn();
}

/** The page for the claim code: it makes the first owner, or lets an owner who lost the passphrase back in (`isBack`). `given` is the code that the desktop app filled in. */
export function ClaimPage({ onIn, isBack, given }: Props & { isBack: boolean; given: string }) {
  const [code, setCode] = useState(given);
  const [name, setName] = useState('');
  const [forGood, setForGood] = useState(true);
  const chosen = usePassphrase();
  const { busy, problem, send } = useSend();
  return (
    <main class="card">
      <h1>{isBack ? t('Enter a claim code') : t('Claim this gateway')}</h1>
      <p>
        {isBack
          ? t(
              'Run headframe claim-code on the computer of the gateway, and enter the code that it prints. Use the name with which you signed in before: then you are the same owner. Another name makes a further owner.',
            )
          : given !== ''
            ? t(
                'Nobody owns this gateway yet. Become its owner: choose the name and the passphrase with which you sign in.',
              )
            : t(
                'The gateway printed a claim code when it started. Enter it to prove that you run this gateway. You then sign in with your name and a passphrase.',
              )}
      </p>
      <Form
        action={isBack ? t('Save and sign in') : t('Claim')}
        busy={busy}
        onSend={() =>
          send(async () => {
            if (chosen.problem !== null) throw new Error(chosen.problem);
            const { passphrase } = chosen;
            await pageClient.call('account_claim', { code: code.trim(), name, passphrase, remember: forGood });
            leave(onIn);
          })
        }
      >
        <Field
          label={t('Claim code')}
          value={code}
          onValue={setCode}
          required
          autoFocus={given === ''}
          mono
          maxLength={32}
        />
        <Field
          label={t('Your name')}
          value={name}
          onValue={setName}
          required
          autoFocus={given !== ''}
          hint={t('You sign in with this name, and the gateway shows it beside your changes.')}
        />
        {chosen.fields}
        <KeepChoice forGood={forGood} onChange={setForGood} />
        <Problem text={problem} />
      </Form>
      <p class="aside">
        {said('Code expired? Run {code} on the gateway to get a new one.', { code: <code>headframe claim-code</code> })}
      </p>
      {!isBack && <NetworkName />}
      <LanguageChoice session={null} />
    </main>
  );
}

export function InvitePage({ token, onIn }: Props & { token: string }) {
  const [forGood, setForGood] = useState(false);
  const [pin, setPin] = useState('');
  const chosen = usePassphrase();
  const { busy, problem, send } = useSend();
  const invitation = usePolled(() => pageClient.call('invitation_get', { token }), 600_000, [token]);
  return (
    <main class="card">
      <h1>{t('Your account')}</h1>
      {invitation.data === null ? (
        <Problem text={invitation.problem} />
      ) : (
        <>
          <p>
            {t(
              'Hello {name}. Your role is {role}. Choose a passphrase. You sign in with your name and this passphrase.',
              { name: invitation.data.name, role: roleText(invitation.data.role) },
            )}
          </p>
          <Form
            action={t('Save and sign in')}
            busy={busy}
            onSend={() =>
              send(async () => {
                if (chosen.problem !== null) throw new Error(chosen.problem);
                const { passphrase } = chosen;
                const more = pin === '' ? {} : { pin };
                await pageClient.call('invitation_accept', { token, passphrase, ...more, remember: forGood });
                leave(onIn);
              })
            }
          >
            {chosen.fields}
            {PIN_ROLES.some((role) => role === invitation.data?.role) && (
              <Field
                label={t('PIN for shared tablets (optional)')}
                value={pin}
                onValue={setPin}
                secret
                maxLength={6}
                hint={t('6 digits that are not easy to guess. You can also set it later on the page My account.')}
              />
            )}
            <KeepChoice forGood={forGood} onChange={setForGood} />
            <Problem text={problem} />
          </Form>
        </>
      )}
      <p class="aside">
        <a href="/">{t('Go to the sign-in page')}</a>
      </p>
      <LanguageChoice session={null} />
    </main>
  );
}

export function SignInPage(props: Props & { how: 'passphrase' | 'key'; refused: boolean }) {
  const [withKey, setWithKey] = useState(props.how === 'key');
  if (withKey) return <KeyForm {...props} onBack={props.how === 'key' ? null : () => setWithKey(false)} />;
  return <PassphraseForm {...props} onKey={() => setWithKey(true)} />;
}

function PassphraseForm({ onIn, refused, onKey }: Props & { refused: boolean; onKey(): void }) {
  const [name, setName] = useState('');
  const [passphrase, setPassphrase] = useState('');
  const [forGood, setForGood] = useState(false);
  const { busy, problem, send } = useSend();
  return (
    <main class="card">
      <h1>{t('Sign in')}</h1>
      {refused && <p>{t('Your session has ended. Sign in again.')}</p>}
      <Form
        action={t('Sign in')}
        busy={busy}
        onSend={() =>
          send(async () => {
            await pageClient.call('session_create', { name, passphrase, remember: forGood });
            onIn();
          })
        }
      >
        <Field label={t('Name')} value={name} onValue={setName} required autoFocus fills="username" />
        <Field
          label={t('Passphrase')}
          value={passphrase}
          onValue={setPassphrase}
          required
          secret
          maxLength={128}
          fills="current-password"
        />
        <KeepChoice forGood={forGood} onChange={setForGood} />
        <Problem text={problem} />
      </Form>
      <p class="aside">
        {said(
          'Forgot the passphrase? Ask an admin for an invitation. An owner can run {code} on the gateway and {a}.',
          { code: <code>headframe claim-code</code>, a: <a href="#claim">{t('enter the code')}</a> },
        )}
      </p>
      <p class="aside">
        <button type="button" class="quiet" onClick={onKey}>
          {t('Use a key instead')}
        </button>
      </p>
      <LanguageChoice session={null} />
    </main>
  );
}

function KeyForm({ onIn, refused, onBack }: Props & { refused: boolean; onBack: (() => void) | null }) {
  const [key, setKey] = useState('');
  const [forGood, setForGood] = useState(false);
  return (
    <main class="card">
      <h1>{t('Sign in')}</h1>
      <p>{t('Paste a key of this gateway. On the page Users you can then create an account for yourself.')}</p>
      <Form
        action={t('Sign in')}
        busy={false}
        onSend={() => {
          storeKey(key.trim(), forGood);
          onIn();
        }}
      >
        <Field label={t('Key')} value={key} onValue={setKey} required secret autoFocus maxLength={200} mono />
        <KeepChoice forGood={forGood} onChange={setForGood} />
        <Problem
          text={refused ? t('This key is unknown, revoked or expired. Check it, or ask for a new one.') : null}
        />
      </Form>
      {onBack === null ? (
        <p class="aside">
          {said('No key? Run {code} on the gateway and {a}.', {
            code: <code>headframe claim-code</code>,
            a: <a href="#claim">{t('enter the code')}</a>,
          })}
        </p>
      ) : (
        <p class="aside">
          <button type="button" class="quiet" onClick={onBack}>
            {t('Sign in with name and passphrase')}
          </button>
        </p>
      )}
      <LanguageChoice session={null} />
    </main>
  );
}

export function ProjectPage(props: { client: Client; now_ms: number; onDone(): void }) {
  const [name, setName] = useState('');
  const [timezone, setTimezone] = useState(Intl.DateTimeFormat().resolvedOptions().timeZone);
  const [shifts, setShifts] = useState(USUAL_SHIFTS);
  const { busy, problem, send } = useSend();
  return (
    <main class="card">
      <h1>{t('Create your site')}</h1>
      <p>
        {t(
          'Machines, people and reports belong to a site. A new site also has boards and a playlist for a TV. You can change these settings later on the Site page.',
        )}
      </p>
      <Form
        action={t('Create site')}
        busy={busy}
        onSend={() =>
          send(async () => {
            const input = { name: name.trim(), timezone, shift_pattern: [...shifts] };
            const made = await props.client.call('projects_create', input, { idempotency_key: newIdempotencyKey() });
            storeProject(made.project.id);
            props.onDone();
          })
        }
      >
        <Field label={t('Site name')} value={name} onValue={setName} required autoFocus />
        <TimeZoneField value={timezone} now_ms={props.now_ms} onValue={setTimezone} />
        <ShiftFields value={shifts} onValue={setShifts} />
        <Problem text={problem} />
      </Form>
      <p class="aside">
        <a href="#replace">{t('This box replaces one that broke')}</a>
      </p>
      <LanguageChoice session={null} />
    </main>
  );
}
