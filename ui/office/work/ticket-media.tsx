/** Pictures, videos and files of a ticket or an inspection. The page fetches them with its API key, because an img element cannot send a key. */
import { useEffect, useState } from 'preact/hooks';
import { ClientError } from '#contract/client.ts';
import type { Output } from '#contract/operations.ts';
import { isShown } from '#contract/work/media.ts';
import { t } from '#ui/languages/texts.ts';
import { refusalOf, saveFile } from '#ui/office/base/save-file.ts';
import { errorText, type Session } from '#ui/office/base/session.ts';
import { size } from '#ui/office/base/size.ts';
import { FileAway } from './file-away.tsx';

/** Largest number of files that the page shows. If there are more files, it shows only how many. */
const MOST_SHOWN = 6;
/**
 * The page shows a file of at most this many bytes, because it must load a file completely to show it. It offers a larger file for
 * download.
 */
const MOST_BYTES = 64 << 20;

type Artifact = Output<'artifacts_get'>;
interface Media {
  readonly url: string;
  readonly type: string;
}
interface Found {
  readonly file: Artifact;
  /** The picture or video to show; null if the file is neither. */
  readonly media: Media | null;
}

async function load({ client }: Session, id: string, signal: AbortSignal): Promise<Found> {
  const file = await client.call('artifacts_get', { id }, { signal });
  if (!isShown(file.content_type) || file.bytes > MOST_BYTES) return { file, media: null };
  const answer = await fetch(client.url('artifacts_content', { id }), { headers: client.headers(), signal });
  if (!answer.ok) throw await refusalOf(answer);
  const blob = await answer.blob();
  // The gateway detects the content type from the bytes. Show only pictures and videos: a file with a script would run with the page's key.
  const media = isShown(blob.type) ? { url: URL.createObjectURL(blob), type: blob.type } : null;
  signal.throwIfAborted();
  return { file, media };
}

function Shown({ media, number }: { media: Media; number: number }) {
  if (media.type.startsWith('video/'))
    return <video src={media.url} controls muted preload="metadata" aria-label={t('Video {number}', { number })} />;
  return (
    <a href={media.url} target="_blank" rel="noopener">
      <img src={media.url} alt={t('File {number}', { number })} />
    </a>
  );
}

/** True if the content of a file is at the other end of the link. */
const isAway = (error: unknown): boolean => error instanceof ClientError && error.code === 'content_not_here';

function Saved({ session, file, number }: { session: Session; file: Artifact; number: number }) {
  const [problem, setProblem] = useState<string | null>(null);
  const [away, setAway] = useState(false);
  const name = file.name ?? `file-${number}`;
  const save = () => {
    setProblem(null);
    saveFile(session, file.id, name).catch((error: unknown) =>
      isAway(error) ? setAway(true) : setProblem(errorText(error)),
    );
  };
  if (away) return <FileAway session={session} id={file.id} name={name} onHere={() => setAway(false)} />;
  return (
    <>
      <button type="button" onClick={save}>
        {t('Download {name} ({size})', { name, size: size(file.bytes) })}
      </button>
      {problem !== null && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </>
  );
}

function File({ session, id, number }: { session: Session; id: string; number: number }) {
  const [found, setFound] = useState<Found | 'gone' | 'away' | null>(null);
  const [round, setRound] = useState(0);
  useEffect(() => {
    const stop = new AbortController();
    let url: string | undefined;
    load(session, id, stop.signal).then(
      (read) => {
        url = read.media?.url;
        if (stop.signal.aborted) URL.revokeObjectURL(url ?? '');
        else setFound(read);
      },
      (error: unknown) => {
        if (!stop.signal.aborted) setFound(isAway(error) ? 'away' : 'gone');
      },
    );
    return () => {
      stop.abort();
      if (url !== undefined) URL.revokeObjectURL(url);
    };
  }, [session, id, round]);
  if (found === null) return <li class="aside">{t('Loading')}</li>;
  if (found === 'gone') return <li class="aside">{t('The gateway cannot read file {number} now', { number })}</li>;
  if (found === 'away')
    return (
      <li>
        <FileAway session={session} id={id} name={`File ${number}`} onHere={() => setRound(round + 1)} />
      </li>
    );
  return (
    <li>
      {found.media === null ? (
        <Saved session={session} file={found.file} number={number} />
      ) : (
        <Shown media={found.media} number={number} />
      )}
    </li>
  );
}

/** Shows pictures and videos, and offers other files for download. */
export function MediaList({ session, media }: { session: Session; media: readonly string[] }) {
  if (media.length === 0) return null;
  return (
    <>
      <ul class="ticket-media">
        {media.slice(0, MOST_SHOWN).map((id, i) => (
          <File key={id} session={session} id={id} number={i + 1} />
        ))}
      </ul>
      {media.length > MOST_SHOWN && (
        <p class="aside">{t('There are {n} more files.', { n: media.length - MOST_SHOWN })}</p>
      )}
    </>
  );
}

export function TicketMedia({ session, media }: { session: Session; media: readonly string[] }) {
  if (media.length === 0) return null;
  return (
    <section class="panel-box">
      <h2>{t('Pictures and files')}</h2>
      <MediaList session={session} media={media} />
    </section>
  );
}
