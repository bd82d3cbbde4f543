/** The firmware of a logger: the version that the logger runs, and the version that the gateway offers to the logger. */
import type { Output } from '#contract/operations.ts';
import { said, t } from '#ui/languages/texts.ts';
import { Problem } from '#ui/office/base/parts.tsx';
import { newIdempotencyKey, type Session } from '#ui/office/base/session.ts';
import { size } from '#ui/office/base/size.ts';
import { usePolled, useSend } from '#ui/office/base/use.ts';

type Firmware = Output<'devices_firmware_get'>;

/** Uploads a file for a device and returns its artifact id. */
async function upload(session: Session, id: string, file: File): Promise<string> {
  const { client, project } = session;
  const { upload: slot } = await client.call('devices_upload_media', {
    id,
    name: file.name,
    bytes: file.size,
    kind: 'file',
  });
  if (slot === null) throw new Error(t('The gateway did not accept the upload. Try again.'));
  const response = await fetch(client.url('devices_media_append', { id, upload_id: slot.id }), {
    method: 'PATCH',
    body: file,
    headers: {
      ...client.headers(project.id),
      'content-type': 'application/offset+octet-stream',
      'tus-resumable': '1.0.0',
      'upload-offset': '0',
    },
  });
  const artifact = response.headers.get('artifact-id');
  if (!response.ok || artifact === null)
    throw new Error(t('The upload failed with status {status}. Try again.', { status: response.status }));
  return artifact;
}

function FirmwareState({ firmware }: { firmware: Firmware }) {
  const { running, offered, status } = firmware;
  if (status === 'installed')
    return (
      <p class="arrived">{t('The logger runs {version}, the offered version.', { version: offered?.version ?? '' })}</p>
    );
  if (offered === null)
    return (
      <p>
        {running === null
          ? t('The gateway does not know the firmware of this logger yet.')
          : t('The logger runs {version}.', { version: running })}
      </p>
    );
  const about = { model: offered.model, version: offered.version, size: size(offered.bytes) };
  return (
    <p class="waiting">
      {running === null
        ? t('{model} firmware {version} ({size}) is ready for the logger.', about)
        : t('{model} firmware {version} ({size}) is ready for the logger, which runs {running}.', {
            ...about,
            running,
          })}{' '}
      {said('Its configuration is {file}.', { file: <code>{offered.config}</code> })}
    </p>
  );
}

export function FirmwareBox({ session, device }: { session: Session; device: Output<'devices_get'> }) {
  const { client } = session;
  const { id } = device;
  const { data, problem, reload } = usePolled(() => client.call('devices_firmware_get', { id }), 10_000, [id]);
  const { busy, problem: refused, send } = useSend();
  if (data === null) return <Problem text={problem} />;
  return (
    <section class="panel-box">
      <h2>{t('Firmware')}</h2>
      <FirmwareState firmware={data} />
      <Problem text={refused} />
      <div class="actions">
        <label class="button">
          {t(busy ? 'Uploading' : 'Offer a firmware file')}
          <input
            type="file"
            accept=".bin"
            class="hidden"
            disabled={busy}
            onChange={(event) => {
              const input = event.currentTarget;
              const file = input.files?.[0];
              if (file === undefined) return;
              send(async () => {
                try {
                  const artifact_id = await upload(session, id, file);
                  await client.call(
                    'devices_firmware_put',
                    { id, artifact_id },
                    { idempotency_key: newIdempotencyKey() },
                  );
                  reload();
                } finally {
                  input.value = '';
                }
              });
            }}
          />
        </label>
        {data.status === 'offered' && (
          <button
            type="button"
            disabled={busy}
            onClick={() =>
              send(async () => {
                await client.call('devices_firmware_withdraw', { id }, { idempotency_key: newIdempotencyKey() });
                reload();
              })
            }
          >
            {t('Withdraw the offer')}
          </button>
        )}
      </div>
    </section>
  );
}
