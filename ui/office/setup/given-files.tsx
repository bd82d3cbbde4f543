/** The files that a person gives with the description: chosen with a button, or dropped. */
import { useEffect, useState } from 'preact/hooks';
import { MAX_FILE_BYTES, MAX_FILES } from '#contract/site/setup.ts';
import { t } from '#ui/languages/texts.ts';
import { Problem } from '#ui/office/base/parts.tsx';
import { FileDrop } from '#ui/office/base/picks.tsx';
import { size } from '#ui/office/base/size.ts';
import { base64 } from '#ui/outbox/base64.ts';

export interface GivenFile {
  readonly name: string;
  readonly bytes: number;
  readonly content_base64: string;
}

async function read(file: File): Promise<GivenFile> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  return { name: file.name, bytes: bytes.length, content_base64: base64(bytes) };
}

/** Says what is wrong with a list of files; null if nothing is. */
function wrongWith(files: readonly { readonly name: string; readonly size: number }[]): string | null {
  const twice = files.find(({ name }, i) => files.findIndex((one) => one.name === name) < i);
  if (twice !== undefined) return t('Two files have the name {name}.', { name: twice.name });
  if (files.length > MAX_FILES) return t('At most {n} files.', { n: MAX_FILES });
  const bytes = files.reduce((sum, one) => sum + one.size, 0);
  return bytes > MAX_FILE_BYTES ? t('The files may have {size} in all.', { size: size(MAX_FILE_BYTES) }) : null;
}

export function GivenFiles(props: {
  files: readonly GivenFile[];
  busy: boolean;
  onFiles(files: readonly GivenFile[]): void;
}) {
  const { files, busy, onFiles } = props;
  const [problem, setProblem] = useState<string | null>(null);
  const add = async (given: readonly File[]) => {
    const wrong = busy
      ? t('The gateway reads the text. Add the file when it has finished.')
      : wrongWith([...files.map(({ name, bytes }) => ({ name, size: bytes })), ...given]);
    setProblem(wrong);
    if (wrong !== null) return;
    try {
      onFiles([...files, ...(await Promise.all(given.map(read)))]);
    } catch {
      setProblem(t('The browser could not read the file.'));
    }
  };
  // A file that is dropped beside the box would open in the place of the page, and the text would be lost.
  useEffect(() => {
    const keep = (event: DragEvent) => event.preventDefault();
    window.addEventListener('dragover', keep);
    window.addEventListener('drop', keep);
    return () => {
      window.removeEventListener('dragover', keep);
      window.removeEventListener('drop', keep);
    };
  }, []);
  return (
    <>
      <FileDrop
        label={t('Add files')}
        hint={t('or drop them here: CSV, XLSX, PDF or text')}
        accept=".csv,.tsv,.xlsx,.pdf,.txt"
        multiple
        busy={busy}
        onFiles={(given) => void add(given)}
      />
      {files.length > 0 && (
        <ul class="plan-list">
          {files.map((file) => (
            <li key={file.name}>
              {file.name}, {size(file.bytes)}{' '}
              <button type="button" class="quiet" onClick={() => onFiles(files.filter((one) => one !== file))}>
                {t('Remove {name}', { name: file.name })}
              </button>
            </li>
          ))}
        </ul>
      )}
      <Problem text={problem} />
    </>
  );
}
