/** Reads now and then what boards and playlists show, for the small pictures of screens. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { LiveSnapshot } from '#contract/site/live.ts';
import { readEvents } from '#ui/office/base/read-events.ts';
import type { Session } from '#ui/office/base/session.ts';
import type { ShownKind } from '#ui/office/screens/previews/shown.ts';

/** Milliseconds between two rounds of reads. The pictures are small, so an older picture is good enough. */
const ROUND_MS = 30_000;
const READ_MS = 10_000;
/** The page reads at most this many boards and playlists, so that it does not make the gateway compose many boards. */
const MOST_SNAPSHOTS = 12;

/** What was read, and when, in milliseconds since 1970 by the gateway. */
export interface ReadSnapshot {
  readonly view: LiveSnapshot;
  readonly at_ms: number;
}

/** Reads the first message of a live stream, and ends the stream. */
async function readSnapshot({ client }: Session, kind: ShownKind, object_id: string, signal: AbortSignal) {
  const stop = new AbortController();
  let view: LiveSnapshot | undefined;
  try {
    const of = AbortSignal.any([signal, stop.signal, AbortSignal.timeout(READ_MS)]);
    const answer = await fetch(client.url('live', { kind, object_id }), { headers: client.headers(), signal: of });
    if (answer.ok && answer.body !== null)
      await readEvents(answer.body, (name, data) => {
        if (name === 'snapshot') view ??= JSON.parse(data) as LiveSnapshot;
        stop.abort();
      });
  } catch {
    // The stream has ended after its first message, or the gateway does not answer.
  }
  return view;
}

/** Returns what these objects show, by their id. It reads one after the other, and only while the page is visible. */
export function useSnapshots(
  session: Session,
  objects: readonly { readonly kind: ShownKind; readonly id: string }[],
): ReadonlyMap<string, ReadSnapshot> {
  const [read, setRead] = useState<ReadonlyMap<string, ReadSnapshot>>(new Map());
  const wanted = useRef(objects);
  wanted.current = objects.slice(0, MOST_SNAPSHOTS);
  const key = wanted.current.map(({ id }) => id).join(' ');
  useEffect(() => {
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const round = async () => {
      for (const { kind, id } of document.hidden ? [] : wanted.current) {
        const view = await readSnapshot(session, kind, id, stop.signal);
        if (stop.signal.aborted) return;
        if (view !== undefined) setRead((before) => new Map(before).set(id, { view, at_ms: session.now() }));
      }
      timer = setTimeout(() => void round(), ROUND_MS);
    };
    void round();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [session, key]);
  return read;
}
