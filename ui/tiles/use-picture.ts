/**
 * Replaces a picture only when the next picture is decoded, so that the screen does not flash, and so that each picture is shown with its
 * own time.
 */
import { useEffect, useState } from 'preact/hooks';
import type { Pictures } from './tile-props.ts';

export interface ShownPicture<T> {
  readonly url: string;
  /** Data that belongs to the picture, such as its time. */
  readonly of: T;
}

/**
 * Returns the newest picture that the browser has decoded; null before the first picture. `failed` is true after a picture failed to load.
 */
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
