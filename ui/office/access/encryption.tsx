/** The page of encryption: which ports are open without TLS, who uses them, and whether a listener is encrypted only. */
import { useState } from 'preact/hooks';
import { type Listener, PLAIN_DAYS, type PlainUse } from '#contract/site/listener.ts';
import { moment } from '#ui/format.ts';
import { said, t, translated, type Word } from '#ui/languages/texts.ts';
import { Problem } from '#ui/office/base/parts.tsx';
import type { Session } from '#ui/office/base/session.ts';
import { usePolled, useSend } from '#ui/office/base/use.ts';

/** The names of the protocols are the same in every language. */
const WORDS = {
  http: { title: 'Screens, REST and MCP', plain: 'HTTP', secure: 'HTTPS' },
  mqtt: { title: 'MQTT', plain: 'MQTT', secure: 'MQTT with TLS' },
  bucket: { title: 'Bucket for loggers', plain: 'HTTP', secure: 'HTTPS' },
} as const satisfies Readonly<
  Record<Listener['name'], Readonly<Record<'title' | 'plain' | 'secure', Word | 'HTTP' | 'HTTPS' | 'MQTT'>>>
>;

const KINDS: Readonly<Record<PlainUse['kind'], Word>> = {
  device: 'Device',
  key: 'Key',
  user: 'User',
  tablet: 'Tablet',
  screen: 'Screen',
};

/** What an admin must know before the listener is encrypted only. */
const CONSEQUENCES: Readonly<Record<Listener['name'], Word>> = {
  http: 'Pages on the port without TLS lead to the port with TLS. TVs, tablets, phones and programs must trust the site authority. Links and printed QR codes with http:// show a certificate warning on a phone that does not trust it. MQTT over WebSocket without TLS ends, too.',
  mqtt: 'Devices that connect without TLS are disconnected at once and cannot connect again.',
  bucket: 'Loggers that upload without TLS keep their files until their configuration has the port with TLS.',
};

function Users({ session, listener }: { session: Session; listener: Listener }) {
  const { plain_users, plain_users_total, name } = listener;
  const now = session.now();
  const { plain } = WORDS[name];
  if (plain_users.length === 0)
    return (
      <p>
        {t('In the last {days} days nobody on another computer used {plain} without TLS.', { days: PLAIN_DAYS, plain })}
      </p>
    );
  const when = ({ is_connected, last_used_at }: PlainUse) =>
    is_connected ? t('Connected now') : moment(Date.parse(last_used_at), now, session.project.timezone);
  return (
    <>
      <p>
        {t(
          '{n} client used {plain} without TLS in the last {days} days.|{n} clients used {plain} without TLS in the last {days} days.',
          { n: plain_users_total, plain, days: PLAIN_DAYS },
        )}
        {plain_users_total > plain_users.length && ` ${t('The newest {n}:', { n: plain_users.length })}`}
      </p>
      <div class="table stacks">
        <table>
          <thead>
            <tr>
              <th scope="col">{t('Client')}</th>
              <th scope="col">{t('Kind')}</th>
              <th scope="col">{t('Address')}</th>
              <th scope="col">{t('Last use')}</th>
            </tr>
          </thead>
          <tbody>
            {plain_users.map((one) => (
              <tr key={`${one.kind} ${one.id}`}>
                <th scope="row">
                  {one.kind === 'device' && one.project_id === session.project.id ? (
                    <a href={`#devices/${one.id}`}>{one.name}</a>
                  ) : (
                    one.name
                  )}
                </th>
                <td data-label={t('Kind')}>{t(KINDS[one.kind])}</td>
                <td data-label={t('Address')}>{one.address}</td>
                <td data-label={t('Last use')}>{when(one)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function Change(props: { session: Session; listener: Listener; onChanged(): void }) {
  const { session, listener, onChanged } = props;
  const { name, encrypted_only } = listener;
  const [asking, setAsking] = useState(false);
  const { busy, problem, send } = useSend();
  const set = (next: boolean) =>
    send(async () => {
      await session.client.call('listeners_update', { name, encrypted_only: next });
      setAsking(false);
      onChanged();
    });
  if (encrypted_only)
    return (
      <>
        <button type="button" disabled={busy} onClick={() => set(false)}>
          {t('Allow connections without TLS')}
        </button>
        <Problem text={problem} />
      </>
    );
  return (
    <>
      {asking && <p>{t(CONSEQUENCES[name])}</p>}
      <div class="buttons">
        <button type="button" disabled={busy} onClick={() => (asking ? set(true) : setAsking(true))}>
          {asking ? t('Turn off connections without TLS now') : t('Encrypted only')}
        </button>
        {asking && (
          <button type="button" class="quiet" onClick={() => setAsking(false)}>
            {t('Keep them')}
          </button>
        )}
      </div>
      <Problem text={problem} />
    </>
  );
}

function ListenerBox(props: { session: Session; listener: Listener; onChanged(): void }) {
  const { name, host, port, tls_port, encrypted_only } = props.listener;
  const { title, plain, secure } = WORDS[name];
  return (
    <section class="panel-box">
      <h2>{translated(title)}</h2>
      <dl class="facts">
        <div>
          <dt>{translated(secure)}</dt>
          <dd>{tls_port === null ? t('No port') : t('Encrypted, {address}', { address: `${host}:${tls_port}` })}</dd>
        </div>
        <div>
          <dt>{t('{plain} without TLS', { plain })}</dt>
          <dd>
            {encrypted_only
              ? t('Closed for other computers')
              : t('Open, not encrypted, {address}', { address: `${host}:${port}` })}
          </dd>
        </div>
      </dl>
      <Users session={props.session} listener={props.listener} />
      <Change {...props} />
    </section>
  );
}

export function EncryptionPage({ session }: { session: Session }) {
  const { data, problem, reload } = usePolled(() => session.client.call('listeners_list', {}), 5_000, [session]);
  return (
    <>
      <h1>{t('Encryption')}</h1>
      <p>
        {said(
          'Without TLS everybody on the network can read keys, passphrases and data. Let devices and people {link}, and then turn off connections without TLS, one listener after the other. Programs on the computer of the gateway are not affected. If nobody gets in any more, type {command} on this computer.',
          {
            link: <a href="/trust">{t('trust this gateway')}</a>,
            command: <code>headframe listeners http --plain on</code>,
          },
        )}
      </p>
      <Problem text={problem} />
      {data?.data.map((one) => (
        <ListenerBox key={one.name} session={session} listener={one} onChanged={reload} />
      ))}
    </>
  );
}
