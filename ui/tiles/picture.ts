/** A picture that takes the place of the one before only when it can be drawn: a wall never blinks, and never dates one by another. */
import { useEffect, useState } from 'preact/hooks';
import type { Pictures } from './tile-props.ts';

export interface ShownPicture<T> {
  readonly url: string;
  /** What belongs to this very picture. */
  readonly of: T;
}

/** The newest picture that could be drawn; null before the first. `failed` once one could not be had. */
export function usePicture<T>(
  artifact_id: string | null,
  of: T,
  pictures: Pictures,
): { readonly shown: ShownPicture<T> | null; readonly failed: boolean } {
  const [shown, setShown] = useState<ShownPicture<T> | null>(null);
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    if (artifact_id === null) return;
    let gone = false;
    const show = async () => {
      const url = await pictures(artifact_id);
      const image = new Image();
      image.src = url;
      await image.decode();
      if (!gone) {
        setShown({ url, of });
        setFailed(false);
      }
    };
    show().catch(() => {
      if (!gone) setFailed(true);
    });
    return () => {
      gone = true;
    };
  }, [artifact_id, pictures]);
  return { shown, failed };
}
