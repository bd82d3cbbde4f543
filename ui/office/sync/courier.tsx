/** Files that a person carries between a site and head office: write one, read one, and what has arrived. */
import { useRef, useState } from 'preact/hooks';
import { ClientError } from '#contract/client.ts';
import type { CourierBundle } from '#contract/site/sync-courier.ts';
import type { SyncGateway } from '#contract/site/sync-gateway.ts';
import { language, t, type Word } from '#ui/languages/texts.ts';
import { toldOrEnglish } from '#ui/languages/told.ts';
import { Choice, Problem, Told } from '#ui/office/base/parts.tsx';
import { refusalOf, saveBundle } from '#ui/office/base/save-file.ts';
import { errorText, type NodeSession } from '#ui/office/base/session.ts';
import { usePolled, useSend } from '#ui/office/base/use.ts';
import { localTime } from '#ui/office/language/local-time.ts';
import { sizeText } from './sync-words.ts';

const STATES: Readonly<Record<CourierBundle['state'], Word>> = {
  on_its_way: 'On its way',
  confirmed: 'Arrived',
  taken: 'Imported',
  not_confirmed: 'Imported in part',
  incomplete: 'Cut off',
};

/** Sends a file to the gateway while it is read, and returns what the gateway says. */
async function importFile({ client }: NodeSession, file: File, earlier: boolean): Promise<CourierBundle> {
  const answer = await fetch(client.url('sync_courier_import', {}), {
    method: 'POST',
    headers: {
      ...client.headers(),
      'content-type': 'application/octet-stream',
      ...(earlier && { 'earlier-life': 'take' }),
    },
    body: file,
  });
  if (!answer.ok) throw await refusalOf(answer);
  return (await answer.json()) as CourierBundle;
}

const saidOf = ({ sentence, words }: CourierBundle): string => toldOrEnglish(sentence, words);

function Import({ session, onDone }: { session: NodeSession; onDone(said: string): void }) {
  const input = useRef<HTMLInputElement>(null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  /** A file that a person may take although it is from before a restore. */
  const [earlier, setEarlier] = useState<File | null>(null);
  async function take(file: File, isEarlier: boolean): Promise<void> {
    setBusy(true);
    setProblem(null);
    setEarlier(null);
    try {
      const bundle = await importFile(session, file, isEarlier);
      onDone(`${bundle.site}: ${saidOf(bundle)}`);
    } catch (error) {
      setProblem(errorText(error));
      if (error instanceof ClientError && error.code === 'bundle_earlier_life') setEarlier(file);
    } finally {
      setBusy(false);
    }
  }
  return (
    <>
      <input
        ref={input}
        type="file"
        class="hidden"
        accept=".hfbundle"
        aria-label={t('File of the other end')}
        tabIndex={-1}
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          if (file !== undefined) void take(file, false);
          currentTarget.value = '';
        }}
      />
      <button type="button" disabled={busy} onClick={() => input.current?.click()}>
        {busy ? t('Reading the file') : t('Import a file')}
      </button>
      <Problem text={problem} />
      {earlier !== null && (
        <button type="button" onClick={() => take(earlier, true)}>
          {t('The site itself wrote it: import it anyway')}
        </button>
      )}
    </>
  );
}

const MB = 1_000_000;
/** How many bytes of photos and logs a stick gets. */
const SIZES: readonly (readonly [bytes: string, words: Word])[] = [
  ['0', 'No files'],
  [String(250 * MB), 'Up to 250 MB'],
  [String(2_000 * MB), 'Up to 2 GB'],
  [String(30_000 * MB), 'Up to 30 GB'],
];

interface ExportProps {
  readonly session: NodeSession;
  readonly gateways: readonly SyncGateway[] | null;
  readonly made: readonly CourierBundle[];
  onDone(said: string): void;
}

function Export(props: ExportProps) {
  const { session, gateways } = props;
  const [most, setMost] = useState(SIZES[1]?.[0] ?? '0');
  const [chosen, setChosen] = useState('');
  const { busy, problem, send } = useSend();
  const gateway_id = gateways === null ? undefined : chosen || gateways[0]?.gateway_id;
  const lastOf = (data: readonly CourierBundle[]) =>
    data.find((one) => one.way === 'made' && (gateway_id === undefined || one.gateway_id === gateway_id));
  const last = lastOf(props.made);
  async function write(after: string | undefined): Promise<void> {
    for (let left = Number(most); ; ) {
      await saveBundle(session, { gateway_id, after, file_bytes: left });
      const made = lastOf((await session.client.call('sync_courier', {})).data);
      if (made === undefined) return;
      props.onDone(saidOf(made));
      left -= made.file_bytes;
      if (!made.more && (made.files_left === 0 || left <= 0 || made.file_bytes === 0)) return;
      after = made.id;
    }
  }
  return (
    <>
      {gateways !== null && gateways.length > 1 && (
        <Choice
          label={t('For the site')}
          value={gateway_id ?? ''}
          options={gateways.map(({ gateway_id: id, name }) => [id, name] as const)}
          onValue={setChosen}
        />
      )}
      <Choice
        label={t('Photos and logs')}
        value={most}
        options={SIZES.map(([value, word]) => [value, t(word)] as const)}
        onValue={setMost}
      />
      <button type="button" disabled={busy} onClick={() => send(() => write(undefined))}>
        {busy
          ? t('Writing the file')
          : gateways === null
            ? t('Write a file for head office')
            : t('Write a file for the site')}
      </button>
      {last !== undefined && last.files_left > 0 && (
        <button type="button" disabled={busy} onClick={() => send(() => write(last.id))}>
          {t('Go on with the next stick')}
        </button>
      )}
      <Problem text={problem} />
    </>
  );
}

/** `gateways`: at head office, the sites; null at a site. */
export function CourierBox({ session, gateways }: { session: NodeSession; gateways: readonly SyncGateway[] | null }) {
  const list = usePolled((signal) => session.client.call('sync_courier', {}, { signal }), 10_000, [session]);
  const [done, setDone] = useState('');
  const onDone = (text: string) => {
    setDone(text);
    list.reload();
  };
  const { data = [], running = null } = list.data ?? {};
  return (
    <section class="panel-box" aria-label={t('Files on a USB stick')}>
      <h2>{t('Without a connection: files on a USB stick')}</h2>
      <p>
        {t(
          'Save a file on a USB stick, and import it at the other end. Import here the file that comes back: it confirms what has arrived. The files are encrypted; only this site and its head office can read them.',
        )}
      </p>
      <div class="buttons">
        <Export session={session} gateways={gateways} made={data} onDone={onDone} />
        <Import session={session} onDone={onDone} />
      </div>
      <p role="status" class="arrived">
        {done}
      </p>
      {running !== null && (
        <p class="waiting" role="status">
          {t(
            running.way === 'made'
              ? 'Writing a file: {size}, {changes} changes, {files} photos and logs.'
              : 'Reading a file: {size}, {changes} changes, {files} photos and logs.',
            {
              size: sizeText(running.bytes),
              changes: running.changes.toLocaleString(language().tag),
              files: running.files.toLocaleString(language().tag),
            },
          )}
        </p>
      )}
      <Problem text={list.problem} />
      {data.length > 0 && (
        <ul class="receipts">
          {data.slice(0, 10).map(({ id, way, state, at, site, bytes, sentence, words }) => (
            <li key={id}>
              <b>{t(STATES[state])}</b>{' '}
              {t(way === 'made' ? 'Written {time}, {size}' : 'Read {time}, {size}', {
                time: localTime(at),
                size: sizeText(bytes),
              })}
              {gateways !== null && `, ${site}`}
              <p>
                <Told text={sentence} words={words} />
              </p>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
