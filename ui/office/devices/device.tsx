/** One device: who it is, its label, its configuration and firmware, and the files that came from it. */
import { useEffect, useState } from 'preact/hooks';
import { ClientError } from '#contract/client.ts';
import type { Output } from '#contract/operations.ts';
import { duration } from '#ui/format.ts';
import { FileTable } from '#ui/office/base/file-table.tsx';
import { Copy, DeviceBadge, Empty, Field, Form, Problem } from '#ui/office/base/parts.tsx';
import { newIdempotencyKey, type Session } from '#ui/office/base/session.ts';
import { size } from '#ui/office/base/size.ts';
import { useNow, usePolled, useSend } from '#ui/office/base/use.ts';
import { BucketKeyBox } from './bucket-key.tsx';
import { DeviceChain } from './device-chain.tsx';
import { QuarantineBox } from './quarantine.tsx';

type Device = Output<'devices_get'>;
type Config = Output<'devices_config_get'>;
type Firmware = Output<'devices_firmware_get'>;
interface Part {
  readonly session: Session;
  readonly device: Device;
}

function Label({ session, device }: Part) {
  const { data, problem } = usePolled(() => session.client.call('devices_label', { id: device.id }), 60_000, [
    device.id,
    device.revision,
  ]);
  if (data === null) return <Problem text={problem} />;
  return (
    <section class="panel-box">
      <div class="head">
        <h2>Label</h2>
        <button type="button" onClick={() => print()}>
          Print label
        </button>
      </div>
      <div class="device-label">
        {/* Drawn by the gateway out of squares; nothing of it comes from outside. */}
        {data.qr !== null && (
          <img alt={`Code that leads to ${data.url}`} src={`data:image/svg+xml,${encodeURIComponent(data.qr)}`} />
        )}
        <div>
          <span class="name">{data.name}</span>
          <code>{data.device_id}</code>
          {data.lines.map((line) => (
            <span key={line}>{line}</span>
          ))}
        </div>
      </div>
    </section>
  );
}

function download(name: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** What a person reads under the editor when the gateway refused what is in it. */
function places(error: unknown): string[] {
  if (!(error instanceof ClientError)) return [];
  return (error.error?.details ?? []).flatMap((one) =>
    typeof one.path === 'string' ? [`${one.path}${typeof one.message === 'string' ? `: ${one.message}` : ''}`] : [],
  );
}

function FileState({ config, running, heard }: { config: Config; running: string | null; heard: boolean }) {
  const { file, reported, revision } = config;
  if (file === null)
    return (
      <p class="aside">
        {running !== null
          ? 'There is no file for this logger yet. Saving makes one.'
          : `${heard ? 'This logger has not said which firmware it has.' : 'This logger has not been heard yet.'} If it takes a configuration file, say which firmware it has, and saving makes the file for its SD card.`}
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
          {file.checked ? "Fits the logger's own schema" : 'Not checked: the logger has not uploaded its schema yet'}
        </li>
        <li>
          {file.encrypted
            ? 'Passwords can be read by this logger alone'
            : 'Passwords are readable in the file: the logger has not told its public key yet'}
        </li>
      </ul>
      <p class={applied ? 'arrived' : 'waiting'} role="status">
        {applied ? 'The logger runs with it' : 'The logger has not reported it yet; it looks every ten minutes'}
      </p>
    </>
  );
}

function Configuration({ session, device, running }: Part & { running: string | null }) {
  const { client } = session;
  const { id } = device;
  const { data, problem, reload } = usePolled(() => client.call('devices_config_get', { id }), 10_000, [id]);
  const [draft, setDraft] = useState<string | null>(null);
  const [wrong, setWrong] = useState<string[]>([]);
  const [firmware, setFirmware] = useState('');
  const { busy, problem: refused, send } = useSend();
  useEffect(() => {
    setDraft(null);
    setWrong([]);
  }, [id]);
  if (data === null) return <Problem text={problem} />;
  const shown = JSON.stringify(data.config, null, 2);
  const text = draft ?? shown;
  const save = () =>
    send(async () => {
      setWrong([]);
      let config: unknown;
      try {
        config = JSON.parse(text);
      } catch (error) {
        throw new Error(`This is not JSON: ${(error as Error).message}`);
      }
      try {
        await client.call(
          'devices_config_put',
          { id, config: config as Record<string, unknown>, ...(running === null && firmware !== '' && { firmware }) },
          { if_match: data.revision, idempotency_key: newIdempotencyKey() },
        );
      } catch (error) {
        setWrong(places(error));
        throw error;
      }
      setDraft(null);
      setFirmware('');
      reload();
    });
  return (
    <section class="panel-box">
      <div class="head">
        <h2>Configuration</h2>
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
            Download for the SD card
          </button>
        )}
      </div>
      <p class="aside">
        What this logger should run with, as its maker describes it. Passwords read ******** and stay as they are when
        you save them so. Where its data goes is filled in by this gateway.
      </p>
      <FileState config={data} running={running} heard={device.last_seen_at !== null} />
      {running === null && (
        <Field
          label="Firmware"
          value={firmware}
          onValue={setFirmware}
          maxLength={5}
          hint="As in the name of the configuration file on its SD card: config-01.09.json is 01.09"
        />
      )}
      <textarea
        class="mono config"
        aria-label="Configuration as JSON"
        rows={14}
        spellcheck={false}
        value={text}
        onInput={(event) => setDraft(event.currentTarget.value)}
      />
      <Problem text={refused} />
      {wrong.length > 1 && (
        <ul class="file-state">
          {wrong.slice(1).map((one) => (
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
          {busy ? 'Saving' : 'Save'}
        </button>
        {draft !== null && draft !== shown && (
          <button type="button" onClick={() => setDraft(null)}>
            Undo changes
          </button>
        )}
      </div>
    </section>
  );
}

/** Uploads a file of the person as a file of the device; its artifact. */
async function upload(session: Session, id: string, file: File): Promise<string> {
  const { client, project } = session;
  const { upload: slot } = await client.call('devices_upload_media', {
    id,
    name: file.name,
    bytes: file.size,
    kind: 'file',
  });
  if (slot === null) throw new Error('The gateway gave no place for the file.');
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
  if (!response.ok || artifact === null) throw new Error(`The upload ended with status ${response.status}.`);
  return artifact;
}

function FirmwareState({ firmware }: { firmware: Firmware }) {
  const { running, offered, status } = firmware;
  if (status === 'installed') return <p class="arrived">The logger runs {offered?.version}, as offered.</p>;
  if (offered === null)
    return <p>{running === null ? 'The logger has not told its firmware yet.' : `The logger runs ${running}.`}</p>;
  return (
    <p class="waiting">
      {offered.model} firmware {offered.version} ({size(offered.bytes)}) waits for the logger
      {running === null ? '.' : `, which runs ${running}.`} Its configuration stands ready as{' '}
      <code>{offered.config}</code>.
    </p>
  );
}

function FirmwareBox({ session, device }: Part) {
  const { client } = session;
  const { id } = device;
  const { data, problem, reload } = usePolled(() => client.call('devices_firmware_get', { id }), 10_000, [id]);
  const { busy, problem: refused, send } = useSend();
  if (data === null) return <Problem text={problem} />;
  return (
    <section class="panel-box">
      <h2>Firmware</h2>
      <FirmwareState firmware={data} />
      <Problem text={refused} />
      <div class="actions">
        <label class="button">
          {busy ? 'Uploading' : 'Offer a firmware file'}
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
            Take it back
          </button>
        )}
      </div>
    </section>
  );
}

function Recordings({ session, device, now }: Part & { now: number }) {
  const { client } = session;
  const { id } = device;
  const { data, problem } = usePolled(() => client.call('artifacts_list', { device_id: id, limit: 20 }), 5_000, [id]);
  const files = data?.data ?? [];
  return (
    <section class="panel-box">
      <h2>Files</h2>
      <Problem text={problem} />
      {data !== null && files.length === 0 && (
        <Empty title="No files yet">Logs that the device uploads, and frames of a camera, are listed here.</Empty>
      )}
      {files.length > 0 && <FileTable files={files} session={session} now={now} />}
      {data?.has_more && <p class="aside">The 20 newest; the API lists all.</p>}
    </section>
  );
}

/** For loggers that lock their files. */
function Password({ session, device }: Part) {
  const [password, setPassword] = useState('');
  const [kept, setKept] = useState<number | null>(null);
  const { busy, problem, send } = useSend();
  return (
    <details class="panel-box">
      <summary>Locked files</summary>
      <p class="aside">
        Files whose names end in MFE or MFM are locked. Their password is kept sealed on this gateway and never shown;
        read a file again after giving it.
      </p>
      <Form
        action="Keep password"
        busy={busy}
        onSend={() =>
          send(async () => {
            const { count } = await session.client.call('devices_log_password', { id: device.id, password });
            setPassword('');
            setKept(count);
          })
        }
      >
        <Field
          label="Password of the log files"
          value={password}
          onValue={setPassword}
          required
          secret
          maxLength={256}
        />
        {kept !== null && <p role="status">Kept; {kept} in all are tried.</p>}
        <Problem text={problem} />
      </Form>
    </details>
  );
}

/** Facts that the device told of itself, in words. */
function Reported({ device }: { device: Device }) {
  const { reported } = device.state;
  if (typeof reported !== 'object' || reported === null || Object.keys(reported).length === 0) return null;
  return (
    <section class="panel-box">
      <h2>What it says of itself</h2>
      <dl class="pairs">
        {Object.entries(reported).map(([name, value]) => (
          <div key={name}>
            <dt>{name.replaceAll('_', ' ')}</dt>
            <dd>{typeof value === 'object' ? JSON.stringify(value) : String(value)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

export function DevicePage({ session, id }: { session: Session; id: string }) {
  const { client } = session;
  const { data: device, problem } = usePolled(() => client.call('devices_get', { id }), 2_000, [id]);
  const now = useNow(session.now);
  if (device === null)
    return (
      <>
        <a href="#devices">All devices</a>
        <Problem text={problem} />
      </>
    );
  const isLogger = device.kind === 'can_logger';
  return (
    <>
      <a href="#devices">All devices</a>
      <div class="head">
        <h1>
          {device.name} {device.name !== device.device_id && <small>{device.device_id}</small>}
        </h1>
        <DeviceBadge status={device.status} color={device.status_color} />
      </div>
      <Problem text={problem} />
      <p>
        {device.last_seen_at === null
          ? 'Never heard.'
          : `Last heard ${duration(now - Date.parse(device.last_seen_at))} ago.`}
      </p>
      <DeviceChain session={session} id={id} />
      <Label session={session} device={device} />
      {isLogger && <Configuration session={session} device={device} running={device.state.firmware} />}
      {isLogger && <FirmwareBox session={session} device={device} />}
      {isLogger && <BucketKeyBox session={session} id={id} now={now} />}
      <Recordings session={session} device={device} now={now} />
      {isLogger && <Password session={session} device={device} />}
      <Reported device={device} />
      <QuarantineBox session={session} device={device} />
      <Copy label="Id for the API" text={device.id} />
    </>
  );
}
