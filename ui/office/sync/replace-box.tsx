/** A new box takes the place of one that broke: it gets the data of the site back from head office. */
import { useEffect, useState } from 'preact/hooks';
import type { Client } from '#contract/client.ts';
import type { GivenBack } from '#contract/site/sync-takeover.ts';
import { language, said, t } from '#ui/languages/texts.ts';
import { Field, Form, Problem } from '#ui/office/base/parts.tsx';
import { usePolled, useSend } from '#ui/office/base/use.ts';

/** The address and the code of head office. */
export function ConnectFields(props: { client: Client; action: string; onDone(): void }) {
  const [url, setUrl] = useState('');
  const [code, setCode] = useState('');
  const { busy, problem, send } = useSend();
  return (
    <Form
      action={props.action}
      busy={busy}
      onSend={() =>
        send(async () => {
          await props.client.call('sync_link_set', { cloud_url: url.trim(), code: code.trim() });
          props.onDone();
        })
      }
    >
      <Field
        label={t('Address of head office')}
        value={url}
        onValue={setUrl}
        required
        maxLength={500}
        hint={t('Such as {example}', { example: 'https://head-office.example.com' })}
      />
      <Field label={t('Code')} value={code} onValue={setCode} required mono maxLength={40} hint={t('Valid once.')} />
      <Problem text={problem} />
    </Form>
  );
}

export function GivingBack({ of: { documents, of } }: { of: GivenBack }) {
  return (
    <>
      <p role="status">
        {of === 0
          ? t('Head office begins to give the data of the site back.')
          : t('Head office has given back {done} of about {all} records.', {
              done: documents.toLocaleString(language().tag),
              all: of.toLocaleString(language().tag),
            })}
      </p>
      {of > 0 && <progress aria-label={t('Given back so far')} max={of} value={documents} />}
    </>
  );
}

/** The page of a new box before it has a site. It starts again twice, so requests fail for some seconds meanwhile. */
export function ReplaceBox({ client, onDone }: { client: Client; onDone(): void }) {
  const leave = () => {
    history.replaceState(null, '', '/');
    onDone();
  };
  const status = usePolled(() => client.call('sync_status', {}), 1_000, [client]);
  const projects = usePolled(() => client.call('projects_list', { limit: 1 }), 2_000, [client]);
  const [isSent, setSent] = useState(false);
  const { takeover, state, sentence } = status.data ?? {};
  const isRunning = isSent || (takeover ?? null) !== null;
  const isDone = takeover?.given_back === null && (projects.data?.data.length ?? 0) > 0;
  useEffect(() => {
    if (isDone) leave();
  }, [isDone]);
  return (
    <main class="card">
      <h1>{t('Replace a box')}</h1>
      {isRunning ? (
        <>
          <p>
            {t('This box takes the place of the one that broke. It starts again by itself when everything is here.')}
          </p>
          {state === 'offline' || state === 'refused' || state === 'revoked' || state === 'fenced' ? (
            <Problem text={sentence ?? null} />
          ) : (
            takeover?.given_back && <GivingBack of={takeover.given_back} />
          )}
        </>
      ) : (
        <>
          <p>
            {said(
              'The box of a site broke or is gone, and this one takes its place. At head office, an admin opens the page {page} and selects {button} at this site. Enter the address and the code that the page shows.',
              { page: <b>{t('Sites')}</b>, button: <b>{t('Replace the box')}</b> },
            )}
          </p>
          <ConnectFields client={client} action={t('Take its place')} onDone={() => setSent(true)} />
          <p class="aside">
            {t('If you have a backup of the broken box, restore it instead: it also has users, keys and settings.')}
          </p>
          <button type="button" class="quiet" onClick={leave}>
            {t('Create a new site instead')}
          </button>
        </>
      )}
    </main>
  );
}
