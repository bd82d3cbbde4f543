/** The files of a device, and the password with which the gateway decrypts its encrypted files. */
import { useState } from 'preact/hooks';
import type { Output } from '#contract/operations.ts';
import { t } from '#ui/languages/texts.ts';
import { FileTable } from '#ui/office/base/file-table.tsx';
import { Empty, Field, Form, Problem } from '#ui/office/base/parts.tsx';
import type { Session } from '#ui/office/base/session.ts';
import { usePolled, useSend } from '#ui/office/base/use.ts';

interface Part {
  readonly session: Session;
  readonly device: Output<'devices_get'>;
}

export function DeviceFiles({ session, device, now }: Part & { now: number }) {
  const { client } = session;
  const { id } = device;
  const { data, problem } = usePolled(() => client.call('artifacts_list', { device_id: id, limit: 20 }), 5_000, [id]);
  const files = data?.data ?? [];
  return (
    <section class="panel-box">
      <h2>{t('Files')}</h2>
      <Problem text={problem} />
      {data !== null && files.length === 0 && (
        <Empty title={t('No files yet')}>
          {t('This list shows logs that the device uploads and pictures of a camera.')}
        </Empty>
      )}
      {files.length > 0 && <FileTable files={files} session={session} now={now} />}
      {data?.has_more && <p class="aside">{t('This page shows the 20 newest files. Use the API to list all.')}</p>}
    </section>
  );
}

/** The form that stores the password of a device's encrypted log files. */
export function LogPassword({ session, device }: Part) {
  const [password, setPassword] = useState('');
  const [stored, setStored] = useState<number | null>(null);
  const { busy, problem, send } = useSend();
  return (
    <details class="panel-box">
      <summary>{t('Encrypted log files')}</summary>
      <p class="aside">
        {t(
          'Files with names that end in MFE or MFM are encrypted. The gateway stores the password encrypted and never shows it. After you save the password, decode the file again.',
        )}
      </p>
      <Form
        action={t('Save password')}
        busy={busy}
        onSend={() =>
          send(async () => {
            const { count } = await session.client.call('devices_log_password', { id: device.id, password });
            setPassword('');
            setStored(count);
          })
        }
      >
        <Field
          label={t('Password of the log files')}
          value={password}
          onValue={setPassword}
          required
          secret
          maxLength={256}
        />
        {stored !== null && (
          <p role="status">
            {t('Saved. The gateway tries {n} stored password.|Saved. The gateway tries {n} stored passwords.', {
              n: stored,
            })}
          </p>
        )}
        <Problem text={problem} />
      </Form>
    </details>
  );
}
