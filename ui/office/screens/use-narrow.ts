/** Tells whether the page is too narrow for an editor of boards. */
import { useEffect, useState } from 'preact/hooks';

const NARROW = '(max-width: 47.99rem)';

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
