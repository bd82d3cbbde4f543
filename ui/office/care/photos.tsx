/** Photos of an item of an inspection, from the camera of a phone or from files. */
import { Problem } from '#ui/office/base/parts.tsx';
import { newIdempotencyKey, type Session } from '#ui/office/base/session.ts';
import { useSend } from '#ui/office/base/use.ts';
import { MediaList } from '#ui/office/work/ticket-media.tsx';

/** Largest number of photos of one item. */
const MOST_PHOTOS = 4;
/** The page makes a photo smaller until its longer side has at most this many pixels. A worn tyre is still well visible. */
const LONGEST_SIDE = 1_600;
/** Largest size of a photo in bytes. As base64 it has 880,000 characters, and the gateway accepts 900,000. */
const MOST_BYTES = 660_000;
/** The page tries these qualities of JPEG, one after the other, until the photo is small enough. */
const QUALITIES = [0.85, 0.7, 0.5, 0.3] as const;

/** Returns the photo as a JPEG that is small enough for the gateway. */
async function smallJpeg(file: Blob): Promise<Blob> {
  const image = await createImageBitmap(file).catch(() => {
    throw new Error('This browser cannot read the file as a photo. Take the photo as JPEG or PNG.');
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
  throw new Error('The photo is too large. Take it again with a lower resolution.');
}

async function base64Of(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  let text = '';
  for (let at = 0; at < bytes.length; at += 8_192) text += String.fromCharCode(...bytes.subarray(at, at + 8_192));
  return btoa(text);
}

/** Shows the photos of an item, and lets a person add and remove photos. The gateway stores a photo as soon as it is added. */
export function Photos(props: {
  session: Session;
  equipment_id: string;
  photos: readonly string[];
  /** Changes the photos of the item. */
  onPhotos(next: (photos: readonly string[]) => readonly string[]): void;
}) {
  const { session, photos } = props;
  const { busy, problem, send } = useSend();
  const add = (file: File) =>
    send(async () => {
      const content_base64 = await base64Of(await smallJpeg(file));
      const input = { id: props.equipment_id, content_base64, captured_at: new Date(session.now()).toISOString() };
      const key = { idempotency_key: newIdempotencyKey() };
      const photo = await session.client.call('equipment_upload_photo', input, key);
      props.onPhotos((before) => [...before, photo.id].slice(0, MOST_PHOTOS));
    });
  return (
    <div class="inspect-photos">
      <MediaList session={session} media={photos} />
      <div class="actions">
        {photos.length < MOST_PHOTOS && (
          <label class="button">
            {busy ? 'Sending the photo' : 'Add a photo'}
            <input
              type="file"
              accept="image/*"
              capture="environment"
              class="hidden"
              disabled={busy}
              onChange={(event) => {
                const [file] = event.currentTarget.files ?? [];
                event.currentTarget.value = '';
                if (file !== undefined) add(file);
              }}
            />
          </label>
        )}
        {photos.length > 0 && (
          <button
            type="button"
            class="quiet"
            disabled={busy}
            onClick={() => props.onPhotos((before) => before.slice(0, -1))}
          >
            Remove the last photo
          </button>
        )}
      </div>
      <Problem text={problem} />
    </div>
  );
}
