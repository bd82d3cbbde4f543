/** At head office: several boxes with the identity of one site, and the choice of the one that is the site. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { GatewayBox } from '#contract/site/sync-boxes.ts';
import type { SyncGateway } from '#contract/site/sync-gateway.ts';
import { duration } from '#ui/format.ts';
import { language, said, t } from '#ui/languages/texts.ts';
import { Facts, Problem } from '#ui/office/base/parts.tsx';
import { may, type NodeSession } from '#ui/office/base/session.ts';
import { useSend } from '#ui/office/base/use.ts';

const changes = (n: number): string =>
  t('{n} change|{n} changes', { n }).replace(String(n), n.toLocaleString(language().tag));

/** Says what happens to the other boxes, and asks once more. */
function Ask(props: { box: GatewayBox; site: string; busy: boolean; onKeep(): void; onClose(): void }) {
  const { box, site, busy } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="ask" aria-label={t('Keep the box {mark}', { mark: box.mark })} onClose={props.onClose}>
      <h2>{t('Keep the box {mark}?', { mark: box.mark })}</h2>
      <ul class="what">
        <li>
          {t(
            'This box ({host}) becomes the site {site} when it calls next, mostly within a minute. It sends what it recorded alone: {changes} at its last contact.',
            { host: box.host, site, changes: changes(box.waiting) },
          )}
        </li>
        <li>
          {t(
            'Every other box with this identity is fenced: it works on alone, and head office takes nothing from it. What it has not sent stays on its disk.',
          )}
        </li>
        <li>
          {t(
            'To get what the other box has not sent, keep the other box on this page until it is in step, and then keep this one again. Do not delete the data folder of a box before.',
          )}
        </li>
      </ul>
      <div class="buttons">
        <button type="button" class="primary" disabled={busy} onClick={props.onKeep}>
          {t('Keep this one')}
        </button>
        <button type="button" onClick={() => dialog.current?.close()}>
          {t('Cancel')}
        </button>
      </div>
    </dialog>
  );
}

function Box(props: { box: GatewayBox; gateway: SyncGateway; session: NodeSession; now: number; onDone(): void }) {
  const { box, gateway, session, now } = props;
  const [asking, setAsking] = useState(false);
  const { busy, problem, send } = useSend();
  const ago = (at: string | null) =>
    at === null ? t('not known') : t('{age} ago', { age: duration(Math.max(0, now - Date.parse(at))) });
  const isFenced = box.fenced_at !== null;
  const facts: [string, string][] = [
    [t('Mark'), box.mark],
    [t('Host name'), box.host],
    [t('One of its addresses'), box.address ?? t('not known')],
    [t('Last contact'), ago(box.last_contact_at)],
    [t('Newest data, by its clock'), ago(box.newest_at)],
    [t('Not sent'), box.waiting === 0 ? t('Nothing') : changes(box.waiting)],
  ];
  if (isFenced) facts.push([t('Fenced, by its clock'), ago(box.fenced_at)]);
  return (
    <li class={isFenced ? 'box fenced' : 'box'}>
      <h3>{t(isFenced ? 'Box {mark} is fenced' : 'Box {mark} is the site', { mark: box.mark })}</h3>
      <Facts of={facts} />
      {box.kept && <p role="status">{t('It was chosen. It becomes the site when it calls next.')}</p>}
      {isFenced && !box.kept && may(session, 'sync_enrolments_revoke') && (
        <button type="button" onClick={() => setAsking(true)}>
          {t('Keep this one')}
          <span class="hidden"> {t('with the mark {mark}', { mark: box.mark })}</span>
        </button>
      )}
      <Problem text={problem} />
      {asking && (
        <Ask
          box={box}
          site={gateway.name}
          busy={busy}
          onClose={() => setAsking(false)}
          onKeep={() =>
            send(async () => {
              const { enrolment_id: id } = gateway;
              await session.client.call('sync_enrolments_revoke', { id, keep: box.mark });
              setAsking(false);
              props.onDone();
            })
          }
        />
      )}
    </li>
  );
}

/** The sites whose identity several boxes use. */
export function Boxes(props: { session: NodeSession; gateways: readonly SyncGateway[]; now: number; onDone(): void }) {
  return (
    <>
      {props.gateways
        .filter(({ boxes, state }) => boxes.length > 0 && state === 'enrolled')
        .map((gateway) => (
          <section key={gateway.gateway_id} class="panel-box" aria-label={t('Boxes of {name}', { name: gateway.name })}>
            <h2>{t('Several boxes use the identity of {name}', { name: gateway.name })}</h2>
            <p>
              {said(
                'They have one identity, such as a computer and a copy of its disk. Head office takes the data of one of them; the others are fenced and work on alone. Each box shows its mark on its page {page}. Stop the box that is too many.',
                { page: <b>{t('Head office')}</b> },
              )}
            </p>
            {gateway.boxes.every(({ fenced_at }) => fenced_at !== null) &&
              (gateway.boxes.length > 1 ? (
                <p>{t('Each of these boxes is fenced in some of its projects. Keep one of them.')}</p>
              ) : (
                <p>{t('The box that is the site now has not told its mark. It may have an earlier version.')}</p>
              ))}
            <ul class="boxes">
              {gateway.boxes.map((box) => (
                <Box key={box.mark} {...props} box={box} gateway={gateway} />
              ))}
            </ul>
          </section>
        ))}
    </>
  );
}
