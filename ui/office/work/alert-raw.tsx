/** The raw traffic that the gateway keeps around a critical alert, with a button for each file. */
import { useState } from 'preact/hooks';
import { duration } from '#ui/format.ts';
import { Problem } from '#ui/office/base/parts.tsx';
import { saveFile } from '#ui/office/base/save-file.ts';
import { errorText, type Session } from '#ui/office/base/session.ts';
import type { Alert } from './alert-text.ts';

type Raw = NonNullable<Alert['raw_traffic']>;

/** Returns what is kept, in words. */
function words({ state, from, to, reason, files }: Raw): string {
  const span = duration(Date.parse(to) - Date.parse(from));
  if (state === 'waiting') return `Raw CAN frames of ${span} around the alert will be kept when this time has passed.`;
  const frames = files.reduce((sum, one) => sum + one.frames, 0).toLocaleString('en');
  const kept =
    files.length === 0 ? 'No raw CAN frames are kept.' : `${frames} raw CAN frames of ${span} around the alert.`;
  return reason === null ? kept : `${kept} ${reason}`;
}

export function AlertRaw({ raw, session, device }: { raw: Raw; session: Session; device: (id: string) => string }) {
  const [problem, setProblem] = useState<string | null>(null);
  const save = (file: Raw['files'][number]) => {
    setProblem(null);
    saveFile(session, file.artifact_id, file.name).catch((error: unknown) => setProblem(errorText(error)));
  };
  return (
    <div class="alert-raw">
      <p class="aside">{words(raw)}</p>
      {raw.files.map((file) => (
        <button key={file.artifact_id} type="button" class="quiet" onClick={() => save(file)}>
          Download MF4 of {device(file.device_id)}
        </button>
      ))}
      <Problem text={problem} />
    </div>
  );
}
