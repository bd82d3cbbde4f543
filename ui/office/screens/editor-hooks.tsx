/** What the editors of boards and playlists ask of the page: its width, keys and focus, the language of screens, and texts for screen readers. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type ScreenLanguage, screenLanguage } from '#ui/languages/site-language.ts';
import type { Session } from '#ui/office/base/session.ts';

const NARROW = '(max-width: 47.99rem)';

/** Returns true if the page is too narrow for an editor of boards. */
export function useNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(() => matchMedia(NARROW).matches);
  useEffect(() => {
    const query = matchMedia(NARROW);
    const changed = () => setNarrow(query.matches);
    query.addEventListener('change', changed);
    return () => query.removeEventListener('change', changed);
  }, []);
  return isNarrow;
}

/** Calls `act` for Ctrl+Z, Ctrl+Shift+Z and Ctrl+Y, but not in a field, where they change the typed text. */
export function useUndoKeys(act: (isRedo: boolean) => void): void {
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const key = event.key.toLowerCase();
      if (!(event.ctrlKey || event.metaKey) || (key !== 'z' && key !== 'y')) return;
      if (event.target instanceof HTMLElement && event.target.matches('input:not([type="checkbox"]), textarea')) return;
      event.preventDefault();
      latest.current(event.shiftKey || key === 'y');
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
}

/** Returns the language of the screens of the site; undefined until it is loaded. */
export function useScreenLanguage({ project }: Session): ScreenLanguage | undefined {
  const [spoken, setSpoken] = useState<ScreenLanguage>();
  useEffect(() => {
    let gone = false;
    void screenLanguage(project.language, project.units === 'us').then(
      (found) => !gone && setSpoken(found),
      // Without the texts the preview has the language of the office.
      () => undefined,
    );
    return () => {
      gone = true;
    };
  }, [project.language, project.units]);
  return spoken;
}

/** The text that a screen reader says. `say` says a text again if it is the same as before. */
export function useSaid() {
  const [said, setSaid] = useState({ text: '', n: 0 });
  const say = (text: string) => setSaid(({ n }) => ({ text, n: n + 1 }));
  return { said: <span key={said.n}>{said.text}</span>, say };
}

/** Returns a function that gives the focus to the first part with a selector, when the page has been drawn again. */
export function useFocus(): (selector: string) => void {
  const wanted = useRef<string | null>(null);
  const [, draw] = useState(0);
  useLayoutEffect(() => {
    const selector = wanted.current;
    if (selector === null) return;
    wanted.current = null;
    document.querySelector<HTMLElement>(selector)?.focus();
  });
  return (selector) => {
    wanted.current = selector;
    draw((n) => n + 1);
  };
}

/**
 * Follows one pointer over the whole window until it is let go. The part of the page under the pointer may move in the page meanwhile, which
 * ends its capture of the pointer. Null: nothing is dragged.
 */
export function useDrag(
  pointer: number | null,
  onMove: (event: PointerEvent) => void,
  onEnd: (isCancelled: boolean) => void,
): void {
  const latest = useRef({ onMove, onEnd });
  latest.current = { onMove, onEnd };
  // Before the next event, because on a slow screen the person may let go before the page is painted.
  useLayoutEffect(() => {
    if (pointer === null) return undefined;
    const move = (event: PointerEvent) => {
      if (event.pointerId !== pointer) return;
      // The browser may not have sent `pointerup` to the window. Then no button is pressed any more.
      if (event.buttons === 0) latest.current.onEnd(false);
      else latest.current.onMove(event);
    };
    const end = (event: PointerEvent) => {
      if (event.pointerId === pointer) latest.current.onEnd(event.type === 'pointercancel');
    };
    addEventListener('pointermove', move);
    addEventListener('pointerup', end);
    addEventListener('pointercancel', end);
    return () => {
      removeEventListener('pointermove', move);
      removeEventListener('pointerup', end);
      removeEventListener('pointercancel', end);
    };
  }, [pointer]);
}
