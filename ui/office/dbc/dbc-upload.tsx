/** The upload form of a DBC file. When the gateway cannot read the file, the form shows the line with the error. */
import { useState } from 'preact/hooks';
import { ClientError } from '#contract/client.ts';
import { DBC_BOUNDS } from '#contract/fleet/dbc.ts';
import { t } from '#ui/languages/texts.ts';
import { Field, Form, Problem } from '#ui/office/base/parts.tsx';
import { FileDrop } from '#ui/office/base/picks.tsx';
import { newIdempotencyKey, type Session } from '#ui/office/base/session.ts';
import { size } from '#ui/office/base/size.ts';
import { progressClient } from '#ui/office/base/upload-progress.ts';
import { useSend } from '#ui/office/base/use.ts';
import { type DbcFile, type Line, linesAround, nameOf, textOf } from './dbc-text.ts';

interface Chosen {
  readonly file: string;
  readonly bytes: number;
  readonly text: string;
  /**
   * The idempotency key of each upload, by file name. If the answer to an upload was lost, the page repeats the upload with the same key,
   * so that the gateway imports the file only once.
   */
  readonly keys: Map<string, string>;
}

/** The line of the file in which the gateway found an error. */
interface Place {
  readonly line: number;
  readonly column: number;
}

function placeOf(error: unknown): Place | null {
  const found = error instanceof ClientError ? error.error?.details[0] : undefined;
  return typeof found?.line === 'number' && typeof found.column === 'number'
    ? { line: found.line, column: found.column }
    : null;
}

function Faulty({ place, lines }: { place: Place; lines: readonly Line[] }) {
  return (
    <figure class="lines">
      <figcaption>
        {t('Line {line}, column {column} of the file', { line: place.line, column: place.column })}
      </figcaption>
      <ol>
        {lines.map((one) => (
          <li key={one.number} value={one.number} aria-current={one.number === place.line ? 'true' : undefined}>
            <code>{one.text || ' '}</code>
          </li>
        ))}
      </ol>
    </figure>
  );
}

export function DbcUpload(props: {
  session: Session;
  files: readonly DbcFile[];
  /** If a person uploads a new version of a DBC file, the name of this file; undefined for a new file. */
  name?: string;
  onDone(file: DbcFile): void;
}) {
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const [name, setName] = useState('');
  const [sent, setSent] = useState(0);
  const [place, setPlace] = useState<Place | null>(null);
  const [refused, setRefused] = useState<string | null>(null);
  const { busy, problem, send } = useSend();
  const before = props.files.filter((one) => one.name === name.trim());
  const take = (file: File) => {
    setPlace(null);
    setRefused(null);
    setChosen(null);
    file.arrayBuffer().then(
      (buffer) => {
        const text = textOf(new Uint8Array(buffer));
        if (text.length > DBC_BOUNDS.text) {
          setRefused(
            t('{name} is too large. A DBC file can have at most {size}.', {
              name: file.name,
              size: size(DBC_BOUNDS.text),
            }),
          );
          return;
        }
        setChosen({ file: file.name, bytes: file.size, text, keys: new Map() });
        setName(props.name ?? nameOf(file.name));
      },
      () => setRefused(t('This computer could not read {name}. Choose the file again.', { name: file.name })),
    );
  };
  const start = (what: Chosen) =>
    send(async () => {
      setPlace(null);
      setSent(0);
      try {
        const client = progressClient(props.session, setSent);
        const input = { name: name.trim(), text: what.text };
        const key = what.keys.get(input.name) ?? newIdempotencyKey();
        what.keys.set(input.name, key);
        props.onDone(await client.call('dbc_import', input, { idempotency_key: key }));
      } catch (error) {
        setPlace(placeOf(error));
        throw error;
      }
    });
  return (
    <section class="panel-box" aria-label={t('Import')}>
      <FileDrop
        label={t('Choose a DBC file')}
        hint={t('or drop it here')}
        accept=".dbc"
        busy={busy}
        onFiles={([file]) => {
          if (file !== undefined && !busy) void take(file);
        }}
      />
      <Problem text={refused} />
      {chosen !== null && (
        <Form action={t('Import')} busy={busy} onSend={() => start(chosen)}>
          <p>
            <b>{chosen.file}</b>, {size(chosen.bytes)}
          </p>
          <Field
            label={t('Name')}
            value={name}
            onValue={setName}
            required
            hint={
              before.length === 0
                ? t('Import a changed file under the same name later to make a new version.')
                : t('This will be version {version}. The older versions stay.', {
                    version: 1 + Math.max(...before.map((one) => one.version)),
                  })
            }
          />
          {busy && (
            <p role="status" class="sending">
              {sent < 1
                ? t('Sending, {percent} %', { percent: Math.round(sent * 100) })
                : t('Sent. The gateway is reading the file.')}
              <progress max={1} {...(sent < 1 ? { value: sent } : {})} />
            </p>
          )}
          <Problem text={problem} />
          {problem !== null && place !== null && <Faulty place={place} lines={linesAround(chosen.text, place.line)} />}
        </Form>
      )}
    </section>
  );
}
