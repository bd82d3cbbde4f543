/** The QR code of a machine, with which anybody reports a fault without an account: shows, prints, replaces and revokes it. */
import { useState } from 'preact/hooks';
import type { Output } from '#contract/operations.ts';
import { said, t } from '#ui/languages/texts.ts';
import { LoopbackHint, Problem } from '#ui/office/base/parts.tsx';
import type { Session } from '#ui/office/base/session.ts';
import { useWrite } from '#ui/office/work/write.ts';

type Link = Output<'fault_links'>;

/** The sticker, in the size in which it is printed. */
function Sticker({ link }: { link: Link }) {
  return (
    <div class="sticker">
      {/* The gateway makes this SVG itself, so it cannot contain foreign content. */}
      {link.qr !== null && (
        <img
          alt={t('QR code of {unit}', { unit: link.unit_number })}
          src={`data:image/svg+xml,${encodeURIComponent(link.qr)}`}
        />
      )}
      <b>{link.unit_number}</b>
      <span>{t('Fault? Scan and report.')}</span>
      <small>{link.short_code}</small>
    </div>
  );
}

/** The section on the page of a machine. It asks the gateway for the code only when a person opens it. */
export function FaultLink({ session, id }: { session: Session; id: string }) {
  const [link, setLink] = useState<Link | null>(null);
  const [asking, setAsking] = useState<'rotate' | 'revoke' | null>(null);
  const { busy, problem, write } = useWrite();
  const act = (action: 'read-or-create' | 'rotate' | 'revoke') =>
    write(async (once) => {
      setLink(await session.client.call('fault_links', { equipment_id: id, action }, once));
      setAsking(null);
    });
  return (
    <section class="panel-box fault-link">
      <h3>{t('QR code for fault reports')}</h3>
      {link?.url == null ? (
        <>
          <p class="aside">
            {link === null
              ? t(
                  'Anybody who scans the code on the machine says that it is OK, or reports a fault with photos, without an account. A report becomes a repair ticket, and the log of the machine has each check. The code shows no live data.',
                )
              : t('The code is revoked. A new code can be created at any time.')}
          </p>
          <button type="button" disabled={busy} onClick={() => act('read-or-create')}>
            {link === null ? t('Show the QR code') : t('Create a new code')}
          </button>
        </>
      ) : (
        <>
          <Sticker link={link} />
          <p class="aside">{said('Address: {link}', { link: <a href={link.url}>{link.url}</a> })}</p>
          <LoopbackHint />
          <div class="actions">
            <button type="button" class="primary" onClick={() => print()}>
              {t('Print')}
            </button>
            <button type="button" onClick={() => setAsking('rotate')}>
              {t('Replace')}
            </button>
            <button type="button" onClick={() => setAsking('revoke')}>
              {t('Revoke')}
            </button>
          </div>
          {asking !== null && (
            <div class="nested" role="alertdialog" aria-label={t('Are you sure?')}>
              <p>
                {t('The printed code on the machine stops working at once.')}
                {asking === 'rotate' && ` ${t('Print the new code and put it on the machine.')}`}
              </p>
              <div class="actions">
                <button type="button" class="danger" disabled={busy} onClick={() => act(asking)}>
                  {asking === 'rotate' ? t('Replace the code') : t('Revoke the code')}
                </button>
                <button type="button" onClick={() => setAsking(null)}>
                  {t('Cancel')}
                </button>
              </div>
            </div>
          )}
        </>
      )}
      <Problem text={problem} />
    </section>
  );
}
