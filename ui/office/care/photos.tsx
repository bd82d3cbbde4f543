/** Photos of an item of an inspection, from the camera of a phone or from files. */
import { t, translated } from '#ui/languages/texts.ts';
import { Problem } from '#ui/office/base/parts.tsx';
import { newIdempotencyKey, type Session } from '#ui/office/base/session.ts';
import { useSend } from '#ui/office/base/use.ts';
import { outbox } from '#ui/office/outbox/deliver.ts';
import { later } from '#ui/office/outbox/later.ts';
import { MediaList } from '#ui/office/work/ticket-media.tsx';
import { keptPhoto, placeOf } from '#ui/outbox/item.ts';
import { smallJpeg } from '#ui/outbox/small-photo.ts';

/** Largest number of photos of one item. */
const MOST_PHOTOS = 4;
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
      const small = await smallJpeg(file).catch((error: Error) => {
        throw new Error(translated(error.message));
      });
      const photo = await small.arrayBuffer();
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
