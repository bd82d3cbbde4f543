/** The page of screens: playlists, boards, links for TVs, and pairing by code. */

import { useState } from 'preact/hooks';
import { said, t } from '#ui/languages/texts.ts';
import { readAll } from '#ui/office/base/lists.ts';
import { Choice, Copy, Empty, Field, Form, LoopbackHint, Problem, TruncationNote } from '#ui/office/base/parts.tsx';
import type { Session } from '#ui/office/base/session.ts';
import { usePolled, useSend } from '#ui/office/base/use.ts';
import { Preview } from './preview.tsx';

type Shown = { readonly kind: 'playlist' | 'dashboard'; readonly id: string; readonly name: string };

function PairForm(props: { session: Session; shown: readonly Shown[]; code: string }) {
  const [code, setCode] = useState(props.code);
  const [target, setTarget] = useState('');
  const [paired, setPaired] = useState<string | null>(null);
  const { busy, problem, send } = useSend();
  const chosen = props.shown.find((one) => one.id === target) ?? props.shown[0];
  return (
    <section class="panel-box">
      <h2>{t('Pair a TV')}</h2>
      <p>
        {said('Open {address} on the TV. Then enter the code that the TV shows.', {
          address: <b>{`${location.host}/tv`}</b>,
        })}
      </p>
      <Form
        action={t('Pair')}
        busy={busy}
        onSend={() =>
          send(async () => {
            if (chosen === undefined) return;
            const input = { user_code: code.trim(), kind: chosen.kind, object_id: chosen.id };
            await props.session.client.call('display_pairings_approve', input);
            setPaired(chosen.name);
            setCode('');
          })
        }
      >
        <Field
          label={t('Code on the TV')}
          value={code}
          onValue={setCode}
          required
          mono
          maxLength={12}
          autoFocus={props.code !== ''}
        />
        <Choice
          label={t('Show')}
          value={chosen?.id ?? ''}
          onValue={setTarget}
          options={props.shown.map(
            ({ id, kind, name }) =>
              [id, kind === 'playlist' ? t('{name} (playlist)', { name }) : t('{name} (board)', { name })] as const,
          )}
        />
        <Problem text={problem} />
      </Form>
      <p role="status" class="arrived">
        {paired === null ? '' : t('Paired. The TV shows {name} within a few seconds.', { name: paired })}
      </p>
    </section>
  );
}

function Row(props: { session: Session; one: Shown; detail: string; open: boolean; onOpen(): void }) {
  const { one } = props;
  const [url, setUrl] = useState<string | null>(null);
  const { busy, problem, send } = useSend();
  const read = () =>
    send(async () => {
      const share = await props.session.client.call('display_shares', { kind: one.kind, object_id: one.id });
      // Use the host of this page in the link, because this page has reached the gateway under it. The host name in the answer may be
      // unknown in this network.
      setUrl(share.url === null ? null : location.origin + new URL(share.url, location.href).pathname);
    });
  return (
    <li>
      <div class="row">
        <div>
          <b>{one.name}</b>
          <small>{props.detail}</small>
        </div>
        <div class="buttons">
          <button type="button" onClick={props.onOpen} aria-expanded={props.open}>
            {props.open ? t('Close preview') : t('Preview')}
          </button>
          <button type="button" onClick={read} disabled={busy}>
            {t('Open on a TV')}
          </button>
        </div>
      </div>
      {url !== null && (
        <div class="shared">
          <Copy label={t('Link for the TV. Anyone with this link can see it without a key.')} text={url} />
          <a href={url} target="_blank" rel="noopener">
            {t('Open on this computer')}
          </a>
        </div>
      )}
      {props.open && <Preview session={props.session} kind={one.kind} id={one.id} />}
      <Problem text={problem} />
    </li>
  );
}

export function Screens({ session, code }: { session: Session; code: string }) {
  const read = async (signal: AbortSignal) => {
    const [playlists, boards] = await Promise.all([
      readAll(session, 'playlists_list', { order: 'asc' }, signal),
      readAll(session, 'dashboards_list', { order: 'asc' }, signal),
    ]);
    return { playlists: playlists.items, boards: boards.items, more: playlists.more || boards.more };
  };
  const list = usePolled(read, 15_000, [session], ['playlist', 'dashboard']);
  const [open, setOpen] = useState<string | null>(null);
  const playlists = (list.data?.playlists ?? []).map((one) => ({ kind: 'playlist' as const, ...one }));
  const boards = (list.data?.boards ?? []).map((one) => ({ kind: 'dashboard' as const, ...one }));
  const toggle = (id: string) => setOpen(open === id ? null : id);
  return (
    <>
      <h1>{t('Screens')}</h1>
      <LoopbackHint />
      <Problem text={list.problem} />
      <TruncationNote
        shown={playlists.length + boards.length}
        more={list.data?.more === true}
        what={t('playlists and boards')}
      />
      {list.data !== null && (
        <div class="split">
          <div>
            <h2>{t('Playlists')}</h2>
            {playlists.length === 0 && (
              <Empty title={t('No playlists')}>
                {t('A playlist shows boards one after the other. Create one through the API or an agent.')}
              </Empty>
            )}
            <ul class="rows">
              {playlists.map((one) => (
                <Row
                  key={one.id}
                  session={session}
                  one={one}
                  detail={t('{n} board, {seconds} s each|{n} boards, {seconds} s each', {
                    n: one.items.length,
                    seconds: one.default_duration_s,
                  })}
                  open={open === one.id}
                  onOpen={() => toggle(one.id)}
                />
              ))}
            </ul>
            <h2>{t('Boards')}</h2>
            {boards.length === 0 && (
              <Empty title={t('No boards')}>{t('Create a board through the API or an agent.')}</Empty>
            )}
            <ul class="rows">
              {boards.map((one) => (
                <Row
                  key={one.id}
                  session={session}
                  one={one}
                  detail={one.description}
                  open={open === one.id}
                  onOpen={() => toggle(one.id)}
                />
              ))}
            </ul>
          </div>
          <PairForm session={session} shown={[...playlists, ...boards]} code={code} />
        </div>
      )}
    </>
  );
}
