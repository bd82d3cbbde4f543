/** A log file that a person drops on the page of a machine is uploaded as a file of its logger, and decoded. */
import { useEffect, useState } from 'preact/hooks';
import type { Output } from '#contract/operations.ts';
import { t } from '#ui/languages/texts.ts';
import { lazyPage } from '#ui/office/base/lazy-page.tsx';
import { Problem } from '#ui/office/base/parts.tsx';
import { errorText, may, type Session } from '#ui/office/base/session.ts';
import { uploadFile } from '#ui/office/base/upload-file.ts';

const Decoding = lazyPage(() => import('./story-decoding.tsx').then((one) => one.Decoding), 'part');

type State =
  | { readonly at: 'idle' }
  | { readonly at: 'sending'; readonly name: string; readonly share: number }
  | { readonly at: 'sent'; readonly name: string; readonly id: string }
  | { readonly at: 'failed'; readonly text: string };

/** Calls `onFiles` with the files that a person drops anywhere on the page. Returns true while files are above the page. */
function usePageDrop(active: boolean, onFiles: (files: readonly File[]) => void): boolean {
  const [over, setOver] = useState(false);
  useEffect(() => {
    if (!active) return undefined;
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') === true;
    const drag = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(false);
      onFiles([...(event.dataTransfer?.files ?? [])]);
    };
    const page = new AbortController();
    addEventListener('dragover', drag, page);
    addEventListener('dragleave', leave, page);
    addEventListener('drop', drop, page);
    return () => page.abort();
  });
  return over;
}

export function StoryDrop(props: {
  session: Session;
  machine: Output<'equipment_list'>['data'][number];
  onSent(): void;
}) {
  const { session, machine } = props;
  const [state, setState] = useState<State>({ at: 'idle' });
  const [device] = machine.device_ids;
  const can = may(session, 'devices_upload_media') && device !== undefined;
  const send = async (files: readonly File[]) => {
    if (device === undefined || state.at === 'sending') return;
    for (const file of files) {
      setState({ at: 'sending', name: file.name, share: 0 });
      try {
        const id = await uploadFile(session, device, file, (share) =>
          setState({ at: 'sending', name: file.name, share }),
        );
        setState({ at: 'sent', name: file.name, id: id ?? '' });
        props.onSent();
      } catch (error) {
        setState({
          at: 'failed',
          text: t('{name} was not sent: {problem}', { name: file.name, problem: errorText(error) }),
        });
        return;
      }
    }
  };
  const over = usePageDrop(can, (files) => void send(files));
  if (!may(session, 'devices_upload_media')) return null;
  if (device === undefined)
    return <p class="aside">{t('After a logger is linked to this machine, you can drop its log files here.')}</p>;
  return (
    <div class={`drop story-drop not-on-paper${over ? ' over' : ''}`}>
      <label class="button">
        {t('Choose a log file')}
        <input
          type="file"
          class="hidden"
          disabled={state.at === 'sending'}
          onChange={(event) => {
            const input = event.currentTarget;
            void send([...(input.files ?? [])]);
            input.value = '';
          }}
        />
      </label>
      <span>{t('or drop it anywhere on this page')}</span>
      {state.at === 'sending' && (
        <p>
          {state.name}: {Math.floor(state.share * 100)} %
          <progress aria-label={t('Upload of {name}', { name: state.name })} max={1} value={state.share} />
        </p>
      )}
      {state.at === 'sent' && device !== undefined && (
        <Decoding key={state.id} {...state} session={session} device={device} />
      )}
      <Problem text={state.at === 'failed' ? state.text : null} />
    </div>
  );
}
