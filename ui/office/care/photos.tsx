/** Photos of an item of an inspection, from the camera of a phone or from files. */
import { t } from '#ui/languages/texts.ts';
import { Problem } from '#ui/office/base/parts.tsx';
import { newIdempotencyKey, type Session } from '#ui/office/base/session.ts';
import { useSend } from '#ui/office/base/use.ts';
import { outbox } from '#ui/office/outbox/deliver.ts';
import { later } from '#ui/office/outbox/later.ts';
import { MediaList } from '#ui/office/work/ticket-media.tsx';
import { keptPhoto, placeOf } from '#ui/outbox/item.ts';

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
    throw new Error(t('This browser cannot read the file as a photo. Take the photo as JPEG or PNG.'));
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
  throw new Error(t('The photo is too large. Take it again with a lower resolution.'));
}

/** Shows the photos of an item, and lets a person add and remove photos. A photo is sent as soon as it is added; without the gateway this browser keeps it. */
export function Photos(props: {
  session: Session;
  equipment_id: string;
  /** The inspection, in the outbox of this browser. */
  subject: string;
  about: string;
  photos: readonly string[];
  /** Changes the photos of the item. */
  onPhotos(next: (photos: readonly string[]) => readonly string[]): void;
}) {
  const { session, photos } = props;
  const { busy, problem, send } = useSend();
  const add = (file: File) =>
    send(async () => {
      const photo = await (await smallJpeg(file)).arrayBuffer();
      const input = { id: props.equipment_id, content_base64: '', captured_at: new Date(session.now()).toISOString() };
      const about = { id: newIdempotencyKey(), subject: props.subject, title: props.about, photo };
      const sent = await later(session, 'equipment_upload_photo', input, about);
      props.onPhotos((before) => [...before, sent?.id ?? placeOf(about.id)].slice(0, MOST_PHOTOS));
    });
  const kept = photos.filter((id) => keptPhoto(id) !== undefined);
  const removeLast = () => {
    const id = keptPhoto(photos.at(-1) ?? '');
    if (id !== undefined) void outbox().then((box) => box.dropId(id));
    props.onPhotos((before) => before.slice(0, -1));
  };
  return (
    <div class="inspect-photos">
      <MediaList session={session} media={photos.filter((id) => !kept.includes(id))} />
      {kept.length > 0 && (
        <p class="aside">
          {t(
            '{n} photo is stored on this device, and sent with the inspection.|{n} photos are stored on this device, and sent with the inspection.',
            { n: kept.length },
          )}
        </p>
      )}
      <div class="actions">
        {photos.length < MOST_PHOTOS && (
          <label class="button">
            {busy ? t('Sending the photo') : t('Add a photo')}
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
          <button type="button" class="quiet" disabled={busy} onClick={removeLast}>
            {t('Remove the last photo')}
          </button>
        )}
      </div>
      <Problem text={problem} />
    </div>
  );
}
