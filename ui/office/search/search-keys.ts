/** The keys that open the search. */
import { useEffect } from 'preact/hooks';

/** Calls `open` for Ctrl+K, and for `/` outside a field. */
export function useSearchKeys(open: () => void): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof HTMLElement && event.target.closest('input, textarea, select') !== null;
      const isControl = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k';
      if (!isControl && (event.key !== '/' || isTyping)) return;
      event.preventDefault();
      open();
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, []);
}
