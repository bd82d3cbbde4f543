/** Makes a photo of a phone small enough for the outbox and for the gateway. */
import { NotKept } from './item.ts';

/** The page makes a photo smaller until its longer side has at most this many pixels. A worn tyre is still well visible. */
const LONGEST_SIDE = 1_600;
/** Largest size of a photo in bytes. As base64 it has 880,000 characters, and the gateway accepts 900,000. */
const MOST_BYTES = 660_000;
/** The page does not try to read a larger file: a phone can run out of memory. */
const MOST_FILE_BYTES = 50_000_000;
/** The page tries these qualities of JPEG, one after the other, until the photo is small enough. */
const QUALITIES = [0.85, 0.7, 0.5, 0.3] as const;

const NO_PHOTO = 'This browser cannot read the file as a photo. Take the photo as JPEG or PNG.';
const LARGE_PHOTO = 'The photo is too large. Take it again with a lower resolution.';

/** Returns the photo as a JPEG that is small enough for the gateway. Throws `NotKept` if that is not possible. */
export async function smallJpeg(file: Blob): Promise<Blob> {
  if (file.size > MOST_FILE_BYTES) throw new NotKept(LARGE_PHOTO);
  const image = await createImageBitmap(file).catch(() => {
    throw new NotKept(NO_PHOTO);
  });
  const scale = Math.min(1, LONGEST_SIDE / Math.max(image.width, image.height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(image.width * scale));
  canvas.height = Math.max(1, Math.round(image.height * scale));
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  image.close();
  for (const quality of QUALITIES) {
    const made = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/jpeg', quality));
    if (made !== null && made.size <= MOST_BYTES) return made;
  }
  throw new NotKept(LARGE_PHOTO);
}
