/** The live content of boards on the office page, from the same stream of the gateway that a TV reads. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ErrorBody } from '#contract/base/errors.ts';
import { type DraftBoard, type LiveEvents, type LiveSnapshot, SILENCE_MS } from '#contract/site/live.ts';
import { applyPatches } from '#contract/site/live-apply.ts';
import { isShown } from '#contract/work/media.ts';
import { t } from '#ui/languages/texts.ts';
import { toldOrEnglish } from '#ui/languages/told.ts';
import { readEvents } from '#ui/office/base/read-events.ts';
import type { Session } from '#ui/office/base/session.ts';
import { useNow } from '#ui/office/base/use.ts';
import type { Moment } from '#ui/tiles/ageing.ts';
import type { Pictures } from '#ui/tiles/tile-props.ts';
import type { ShownKind } from './shown.ts';

const RETRY_MS = 3_000;
/** A person who moves or types makes many changes in short time; the page asks for the last of them. */
const DRAFT_WAIT_MS = 300;
/** What a person does on a page. */
const ACTS = ['pointerdown', 'keydown'] as const;
/** Largest number of pictures that a preview keeps in memory. */
const MOST_PICTURES = 24;

/** What a page asks for: a stored board or playlist, or a board that is not stored. */
export type Asked = { readonly kind: ShownKind; readonly id: string } | { readonly draft: DraftBoard };

export interface BoardStream {
  /** Null until the first answer. While the page asks for a changed draft, the content of the draft before. */
  readonly view: LiveSnapshot | null;
  /** The tiles of the draft from which the gateway composed `view`. Empty for a stored board. */
  readonly composed: DraftBoard['widgets'];
  readonly at: Moment;
  /** Why the gateway does not compose the board, in English; null if it does. */
  readonly refusal: { readonly isBusy: boolean; readonly text: string } | null;
  /** True if the gateway has ended the preview for another one of the same person. It goes on when the person does something here. */
  readonly isReplaced: boolean;
}

function request({ client }: Session, asked: Asked, signal: AbortSignal): Promise<Response> {
  if ('draft' in asked)
    return fetch(client.url('live_preview', {}), {
      method: 'POST',
      headers: { ...client.headers(), 'content-type': 'application/json' },
      body: JSON.stringify(asked.draft),
      signal,
    });
  const url = client.url('live', { kind: asked.kind, object_id: asked.id });
  return fetch(url, { headers: client.headers(), signal });
}

/** Returns true while a person can see the page. */
function useVisible(): boolean {
  const [isVisible, setVisible] = useState(!document.hidden);
  useEffect(() => {
    const changed = () => setVisible(!document.hidden);
    document.addEventListener('visibilitychange', changed);
    return () => document.removeEventListener('visibilitychange', changed);
  }, []);
  return isVisible;
}

/**
 * Returns the live content of what the page asks for. It asks again when `key` changes; null: nobody looks at it, so it asks for nothing. A
 * preview of a board that is not stored takes a place at the gateway, so it also ends while the page is hidden.
 */
export function useBoardStream(session: Session, asked: Asked, key: string | null): BoardStream {
  const [{ view, composed }, setShown] = useState<Pick<BoardStream, 'view' | 'composed'>>({ view: null, composed: [] });
  const [refusal, setRefusal] = useState<BoardStream['refusal']>(null);
  const [isReplaced, setReplaced] = useState(false);
  const isVisible = useVisible();
  const isAsked = key !== null && (isVisible || !('draft' in asked));
  const lastMessageMs = useRef(0);
  const latest = useRef(asked);
  latest.current = asked;
  const now = useNow(session.now);
  useEffect(() => {
    if (!isReplaced) return undefined;
    const goOn = () => setReplaced(false);
    for (const name of ACTS) addEventListener(name, goOn, { once: true });
    return () => {
      for (const name of ACTS) removeEventListener(name, goOn);
    };
  }, [isReplaced]);
  useEffect(() => {
    if (!isAsked || isReplaced) return undefined;
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const event = (name: string, data: string, sent: DraftBoard['widgets']) => {
      if (stop.signal.aborted) return;
      lastMessageMs.current = session.now();
      const isDraft = 'draft' in latest.current;
      if (name === 'gone' && isDraft && (JSON.parse(data) as LiveEvents['gone']).reason === 'replaced')
        setReplaced(true);
      if (name === 'snapshot') setShown({ view: JSON.parse(data) as LiveSnapshot, composed: sent });
      if (name === 'delta') {
        const { patches } = JSON.parse(data) as LiveEvents['delta'];
        setShown(({ view, composed }) => ({
          view: view && { ...view, boards: applyPatches(view.boards, patches) },
          composed,
        }));
      }
    };
    const run = async () => {
      try {
        const asks = latest.current;
        const sent = 'draft' in asks ? asks.draft.widgets : [];
        const answer = await request(session, asks, stop.signal);
        const refused = answer.status >= 400 && answer.status < 500;
        const { error } = refused ? ((await answer.json()) as ErrorBody) : { error: null };
        setRefusal((before) => {
          if (error === null) return null;
          const text = toldOrEnglish(error.message, error.words);
          return before?.text === text ? before : { isBusy: answer.status === 429, text };
        });
        if (answer.ok && answer.body !== null) await readEvents(answer.body, (name, data) => event(name, data, sent));
      } catch {
        // The gateway does not answer, or the page asks for something else now.
      }
      if (!stop.signal.aborted) timer = setTimeout(() => void run(), RETRY_MS);
    };
    timer = setTimeout(() => void run(), 'draft' in latest.current ? DRAFT_WAIT_MS : 0);
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [key, session, isAsked, isReplaced]);
  const live = now - lastMessageMs.current <= SILENCE_MS;
  return { view, composed, at: { now, live, lastMessageMs: lastMessageMs.current }, refusal, isReplaced };
}

/** Returns a function that loads pictures of the site for the tiles of a preview. It releases all when the preview closes. */
export function usePictures(session: Session): Pictures {
  const { load, close } = useMemo(() => keepPictures(session), [session]);
  useEffect(() => close, [close]);
  return load;
}

function keepPictures(session: Session): { readonly load: Pictures; close(): void } {
  const kept = new Map<string, string>();
  let isClosed = false;
  const release = (most: number) => {
    for (const [old, url] of [...kept].slice(0, most === 0 ? undefined : -most)) {
      URL.revokeObjectURL(url);
      kept.delete(old);
    }
  };
  return {
    async load(id) {
      const known = kept.get(id);
      if (known !== undefined) return known;
      const answer = await fetch(session.client.url('artifacts_content', { id }), {
        headers: session.client.headers(),
      });
      if (!answer.ok) throw new Error(`${answer.status}`);
      const picture = await answer.blob();
      if (!isShown(picture.type)) throw new Error(t('The file is not a picture.'));
      const address = URL.createObjectURL(picture);
      kept.set(id, address);
      // A camera sends a new picture every few seconds, and each picture takes memory. So release the oldest pictures.
      release(isClosed ? 0 : MOST_PICTURES);
      return address;
    },
    close() {
      isClosed = true;
      release(0);
    },
  };
}
