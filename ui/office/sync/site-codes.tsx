/** At head office: the codes with which sites connect, and boxes that replace others. */
import { useState } from 'preact/hooks';
import type { Output } from '#contract/operations.ts';
import { said, t, type Word } from '#ui/languages/texts.ts';
import { Choice, Copy, Field, Form, Problem } from '#ui/office/base/parts.tsx';
import type { NodeSession } from '#ui/office/base/session.ts';
import { useSend } from '#ui/office/base/use.ts';
import { localTime } from '#ui/office/language/local-time.ts';

export type Made = Output<'sync_enrolments_create'>;
export type Enrolment = Made['enrolment'];

const VALID = [
  ['24', '1 day'],
  ['72', '3 days'],
  ['168', '1 week'],
  ['744', '1 month, for a box that travels'],
] as const satisfies readonly (readonly [string, Word])[];

/** What a person does at the site with a new code. The card says when the site is connected. */
export function CodeCard(props: { made: Made; enrolments: readonly Enrolment[]; onClose(): void }) {
  const { enrolment, code } = props.made;
  const now = props.enrolments.find(({ id }) => id === enrolment.id);
  const isNear = location.protocol === 'http:';
  const isNew = enrolment.gateway_id === null;
  const { name } = enrolment;
  const title = t(isNew ? 'Connect {name}' : 'Replace the box of {name}', { name });
  return (
    <section class="panel-box" aria-label={title}>
      <h2>{title}</h2>
      {now?.state === 'enrolled' ? (
        <p class="arrived" role="status">
          {isNew
            ? t('{name} is connected. Its machines and boards appear here as they arrive.', { name })
            : t(
                'The new box has the place of the old one, which head office refuses from now on. It gets the data of {name} back. Its page {page} says how far it is, and what did not come back.',
                { name, page: t('Head office') },
              )}
        </p>
      ) : (
        <>
          <ol class="to-do">
            {isNew ? (
              <li>
                {said('At the site, sign in as owner or admin and open the page {page}.', {
                  page: <b>{t('Head office')}</b>,
                })}
              </li>
            ) : (
              <li>
                {said(
                  'Start Headframe on the new box with an empty data folder, and claim it. Where it asks to create a site, select {link}.',
                  { link: <b>{t('This box replaces one that broke')}</b> },
                )}
              </li>
            )}
            <li>
              {t('Type the address of this head office.')} <Copy label={t('Address')} text={location.origin} />
            </li>
            <li>
              {t('Type the code. It is valid once, until {time}, and shown only now.', {
                time: localTime(enrolment.code_expires_at),
              })}
              <Copy label={t('Code')} text={code} />
            </li>
          </ol>
          {isNear && (
            <p class="aside">
              {t(
                'You opened this page without https. A site takes such an address only within its own network. For sites elsewhere, give head office a name and a certificate, and open this page there.',
              )}
            </p>
          )}
          <p role="status">{t('This page waits for the site and says when it is connected.')}</p>
        </>
      )}
      <button type="button" onClick={props.onClose}>
        {t('Done')}
      </button>
    </section>
  );
}

export function AddSite({ session, onMade }: { session: NodeSession; onMade(made: Made): void }) {
  const [name, setName] = useState('');
  const [hours, setHours] = useState('72');
  const { busy, problem, send } = useSend();
  return (
    <section class="panel-box" aria-label={t('Add a site')}>
      <h2>{t('Add a site')}</h2>
      <Form
        action={t('Make a code')}
        busy={busy}
        onSend={() =>
          send(async () => {
            onMade(await session.client.call('sync_enrolments_create', { name: name.trim(), hours: Number(hours) }));
            setName('');
          })
        }
      >
        <Field
          label={t('Name of the site')}
          value={name}
          onValue={setName}
          required
          hint={t('Such as Quarry North.')}
        />
        <Choice
          label={t('The code is valid for')}
          value={hours}
          options={VALID.map(([value, word]) => [value, t(word)] as const)}
          onValue={setHours}
        />
        <Problem text={problem} />
      </Form>
    </section>
  );
}

const CODE_STATES = { waiting: 'Not used yet', expired: 'Expired' } as const satisfies Readonly<Record<string, Word>>;

/** The codes that no site has used. */
export function OpenCodes(props: { session: NodeSession; enrolments: readonly Enrolment[]; onDone(): void }) {
  const open = props.enrolments.flatMap((one) =>
    one.state === 'waiting' || one.state === 'expired' ? [{ ...one, state: one.state }] : [],
  );
  const { busy, problem, send } = useSend();
  if (open.length === 0) return null;
  return (
    <section class="panel-box" aria-label={t('Codes that wait')}>
      <h2>{t('Codes that wait')}</h2>
      <Problem text={problem} />
      <ul class="receipts">
        {open.map(({ id, name, state, code_expires_at, gateway_id }) => (
          <li key={id}>
            <b>{name}</b> {t(CODE_STATES[state])}
            {gateway_id !== null && `, ${t('for a box that replaces the one of this site')}`}
            {state === 'waiting' && `, ${t('valid until {time}', { time: localTime(code_expires_at) })}`}{' '}
            {state === 'waiting' && (
              <button
                type="button"
                disabled={busy}
                onClick={() =>
                  send(async () => {
                    await props.session.client.call('sync_enrolments_revoke', { id });
                    props.onDone();
                  })
                }
              >
                {t('Withdraw')}
                <span class="hidden"> {t('the code for {name}', { name })}</span>
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
