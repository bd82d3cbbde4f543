/** Pictures and files that belong to a ticket, each read with the key of this page. */
import { useEffect, useState } from 'preact/hooks';
import type { Session } from './session.ts';

/** Files of one ticket that are read at once; the rest is counted. */
const MOST_SHOWN = 6;

interface Read {
  readonly url: string;
  readonly type: string;
}

function File({ session, id, number }: { session: Session; id: string; number: number }) {
  const [read, setRead] = useState<Read | 'gone' | null>(null);
  useEffect(() => {
    const stop = new AbortController();
    let url: string | null = null;
    const load = async () => {
      const { client } = session;
      const options = { headers: client.headers(), signal: stop.signal };
      const answer = await fetch(client.url('artifacts_content', { id }), options);
      if (!answer.ok) throw new Error(`${answer.status}`);
      const blob = await answer.blob();
      if (stop.signal.aborted) return;
      url = URL.createObjectURL(blob);
      setRead({ url, type: blob.type });
    };
    load().catch(() => {
      if (!stop.signal.aborted) setRead('gone');
    });
    return () => {
      stop.abort();
      if (url !== null) URL.revokeObjectURL(url);
    };
  }, [session, id]);
  if (read === null) return <li class="aside">Loading</li>;
  if (read === 'gone') return <li class="aside">Picture {number} cannot be read now</li>;
  return (
    <li>
      <a href={read.url} target="_blank" rel="noopener" class={read.type.startsWith('image/') ? '' : 'button'}>
        {read.type.startsWith('image/') ? (
          <img src={read.url} alt={`Number ${number} of this ticket`} />
        ) : (
          `File ${number}`
        )}
      </a>
    </li>
  );
}

export function TicketMedia({ session, media }: { session: Session; media: readonly string[] }) {
  if (media.length === 0) return null;
  return (
    <section class="panel-box">
      <h2>Pictures</h2>
      <ul class="ticket-media">
        {media.slice(0, MOST_SHOWN).map((id, i) => (
          <File key={id} session={session} id={id} number={i + 1} />
        ))}
      </ul>
      {media.length > MOST_SHOWN && <p class="aside">{media.length - MOST_SHOWN} more are kept with the ticket.</p>}
    </section>
  );
}
