/** The QR code of a machine, with which anybody reports a fault without an account: shows, prints, replaces and revokes it. */
import { useState } from 'preact/hooks';
import type { Output } from '#contract/operations.ts';
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
        <img alt={`QR code of ${link.unit_number}`} src={`data:image/svg+xml,${encodeURIComponent(link.qr)}`} />
      )}
      <b>{link.unit_number}</b>
      <span>Fault? Scan and report.</span>
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
      <h3>QR code for fault reports</h3>
      {link?.url == null ? (
        <>
          <p class="aside">
            {link === null
              ? 'Anybody who scans the code on the machine reports a fault without an account. The report becomes a repair ticket. The code shows no data of the machine.'
              : 'The code is revoked. A new code can be created at any time.'}
          </p>
          <button type="button" disabled={busy} onClick={() => act('read-or-create')}>
            {link === null ? 'Show the QR code' : 'Create a new code'}
          </button>
        </>
      ) : (
        <>
          <Sticker link={link} />
          <p class="aside">
            Address: <a href={link.url}>{link.url}</a>
          </p>
          <LoopbackHint />
          <div class="actions">
            <button type="button" class="primary" onClick={() => print()}>
              Print
            </button>
            <button type="button" onClick={() => setAsking('rotate')}>
              Replace
            </button>
            <button type="button" onClick={() => setAsking('revoke')}>
              Revoke
            </button>
          </div>
          {asking !== null && (
            <div class="nested" role="alertdialog" aria-label="Are you sure?">
              <p>
                The printed code on the machine stops working at once.
                {asking === 'rotate' && ' Print the new code and put it on the machine.'}
              </p>
              <div class="actions">
                <button type="button" class="danger" disabled={busy} onClick={() => act(asking)}>
                  {asking === 'rotate' ? 'Replace the code' : 'Revoke the code'}
                </button>
                <button type="button" onClick={() => setAsking(null)}>
                  Cancel
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
