/** The link of a board or playlist: its address, the screens that use it, and how a person pauses, replaces and ends it. */
import { useEffect, useState } from 'preact/hooks';
import { t } from '#ui/languages/texts.ts';
import { Copy, Problem } from '#ui/office/base/parts.tsx';
import type { Session } from '#ui/office/base/session.ts';
import { useSend } from '#ui/office/base/use.ts';
import type { Shown } from '#ui/office/screens/previews/shown.ts';
import { linkText, type Share } from './uses.ts';

type Action = 'read-or-create' | 'rotate' | 'revoke' | 'pause' | 'resume';

export function SharePanel(props: { session: Session; one: Shown; onChanged(): void }) {
  const { session, one } = props;
  const [share, setShare] = useState<Share | null>(null);
  const [asked, setAsked] = useState<'rotate' | 'revoke' | null>(null);
  const { busy, problem, send } = useSend();
  const act = (action: Action) =>
    send(async () => {
      setAsked(null);
      setShare(await session.client.call('display_shares', { kind: one.kind, object_id: one.id, action }));
      props.onChanged();
    });
  useEffect(() => act('read-or-create'), [one.id]);
  // Use the host of this page in the link, because this page has reached the gateway under it. The host name in the answer may be unknown
  // in this network.
  const url = share?.url == null ? null : location.origin + new URL(share.url, location.href).pathname;
  return (
    <div class="shared">
      <Problem text={problem} />
      {share?.status === 'revoked' && (
        <>
          <p class="waiting">{t('The link has ended. Screens that used it show a pairing code.')}</p>
          <div class="buttons">
            <button type="button" disabled={busy} onClick={() => act('read-or-create')}>
              {t('Make a new link')}
            </button>
          </div>
        </>
      )}
      {share?.status === 'paused' && (
        <p class="waiting">{t('The link is paused. Screens that use it show no board.')}</p>
      )}
      {share !== null && url !== null && (
        <>
          <Copy label={t('Link for the TV. Anyone with this link can see it without a key.')} text={url} />
          <a href={url} target="_blank" rel="noopener">
            {t('Open on this computer')}
          </a>
          <p class="aside">{linkText(share, session.now())}</p>
          <div class="buttons">
            {share.status === 'active' ? (
              <button type="button" disabled={busy} onClick={() => act('pause')}>
                {t('Pause the link')}
              </button>
            ) : (
              <button type="button" disabled={busy} onClick={() => act('resume')}>
                {t('Resume the link')}
              </button>
            )}
            <button type="button" disabled={busy} onClick={() => setAsked('rotate')}>
              {t('Replace the link')}
            </button>
            <button type="button" disabled={busy} onClick={() => setAsked('revoke')}>
              {t('End the link')}
            </button>
          </div>
        </>
      )}
      {asked !== null && (
        <div class="ask" role="alert">
          <p>{t('All screens that use this link go dark within two seconds and must be paired again.')}</p>
          <div class="buttons">
            <button type="button" disabled={busy} onClick={() => act(asked)}>
              {asked === 'rotate' ? t('Replace it now') : t('End it now')}
            </button>
            <button type="button" onClick={() => setAsked(null)}>
              {t('Cancel')}
            </button>
          </div>
        </div>
      )}
    </div>
  );
}
