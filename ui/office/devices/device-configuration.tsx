/** The configuration of a logger: editor, file state, and download for the SD card. */
import { useEffect, useState } from 'preact/hooks';
import { ClientError } from '#contract/client.ts';
import type { Output } from '#contract/operations.ts';
import { t } from '#ui/languages/texts.ts';
import { Field, Problem } from '#ui/office/base/parts.tsx';
import { newIdempotencyKey, type Session } from '#ui/office/base/session.ts';
import { size } from '#ui/office/base/size.ts';
import { usePolled, useSend } from '#ui/office/base/use.ts';

type Device = Output<'devices_get'>;
type Config = Output<'devices_config_get'>;
interface Part {
  readonly session: Session;
  readonly device: Device;
}

function download(name: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Returns the errors of a configuration that the gateway refused, each with its JSON path. */
function pathErrors(error: unknown): string[] {
  if (!(error instanceof ClientError)) return [];
  return (error.error?.details ?? []).flatMap((one) =>
    typeof one.path === 'string' ? [`${one.path}${typeof one.message === 'string' ? `: ${one.message}` : ''}`] : [],
  );
}

function FileState({ config, running, seen }: { config: Config; running: string | null; seen: boolean }) {
  const { file, reported, revision } = config;
  if (file === null)
    return (
      <p class="aside">
        {running !== null
          ? t('There is no configuration file for this logger yet. Save the configuration to create it.')
          : `${seen ? t('The gateway does not know the firmware of this logger yet.') : t('This logger has not sent data yet.')} ${t('To create the configuration file for its SD card, enter the firmware version and save.')}`}
      </p>
    );
  const applied = reported.status === 'applied' && reported.revision === revision;
  return (
    <>
      <ul class="file-state">
        <li>
          <code>{file.name}</code>, {size(file.bytes)}, CRC-32 <code>{file.crc32}</code>
        </li>
        <li>
          {file.checked
            ? t('Checked against the schema of the logger')
            : t('Not checked: the logger has not uploaded its schema yet')}
        </li>
        <li>
          {file.encrypted
            ? t('Passwords are encrypted: only this logger can read them')
            : t('Passwords are not encrypted: the logger has not sent its public key yet')}
        </li>
      </ul>
      <p class={applied ? 'arrived' : 'waiting'} role="status">
        {applied
          ? t('The logger uses this configuration')
          : t('The logger does not use this configuration yet. It checks for a new one every ten minutes.')}
      </p>
    </>
  );
}

export function DeviceConfiguration({ session, device, running }: Part & { running: string | null }) {
  const { client } = session;
  const { id } = device;
  const { data, problem, reload } = usePolled(() => client.call('devices_config_get', { id }), 10_000, [id]);
  const [draft, setDraft] = useState<string | null>(null);
  const [errors, setErrors] = useState<string[]>([]);
  const [firmware, setFirmware] = useState('');
  const { busy, problem: refused, send } = useSend();
  useEffect(() => {
    setDraft(null);
    setErrors([]);
  }, [id]);
  if (data === null) return <Problem text={problem} />;
  const shown = JSON.stringify(data.config, null, 2);
  const text = draft ?? shown;
  const save = () =>
    send(async () => {
      setErrors([]);
      let config: unknown;
      try {
        config = JSON.parse(text);
      } catch (error) {
        throw new Error(t('The text is not valid JSON: {problem}', { problem: (error as Error).message }));
      }
      try {
        await client.call(
          'devices_config_put',
          { id, config: config as Record<string, unknown>, ...(running === null && firmware !== '' && { firmware }) },
          { if_match: data.revision, idempotency_key: newIdempotencyKey() },
        );
      } catch (error) {
        setErrors(pathErrors(error));
        throw error;
      }
      setDraft(null);
      setFirmware('');
      reload();
    });
  return (
    <section class="panel-box">
      <div class="head">
        <h2>{t('Configuration')}</h2>
        {data.file !== null && (
          <button
            type="button"
            onClick={() =>
              send(async () => {
                const file = await client.call('devices_config_file', { id });
                download(file.name, file.content);
              })
            }
          >
            {t('Download for the SD card')}
          </button>
        )}
      </div>
      <p class="aside">
        {t(
          'The settings of this logger, in the format of its manufacturer. Passwords show as ********; leave them so to keep them. The gateway fills in its own address and keys.',
        )}
      </p>
      <FileState config={data} running={running} seen={device.last_seen_at !== null} />
      {running === null && (
        <Field
          label={t('Firmware')}
          value={firmware}
          onValue={setFirmware}
          maxLength={5}
          hint={t('From the file name on the SD card: for config-01.09.json enter 01.09')}
        />
      )}
      <textarea
        class="mono config"
        aria-label={t('Configuration as JSON')}
        rows={14}
        spellcheck={false}
        value={text}
        onInput={(event) => setDraft(event.currentTarget.value)}
      />
      <Problem text={refused} />
      {errors.length > 1 && (
        <ul class="file-state">
          {errors.slice(1).map((one) => (
            <li key={one}>{one}</li>
          ))}
        </ul>
      )}
      <div class="actions">
        <button
          type="button"
          class="primary"
          disabled={busy || ((draft === null || draft === shown) && firmware === '')}
          onClick={save}
        >
          {t(busy ? 'Saving' : 'Save')}
        </button>
        {draft !== null && draft !== shown && (
          <button type="button" onClick={() => setDraft(null)}>
            {t('Undo changes')}
          </button>
        )}
      </div>
    </section>
  );
}
