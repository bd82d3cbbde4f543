/** Sends a file of a device to the gateway in parts (tus 1.0.0). After a lost connection it continues where the gateway has stopped. */
import type { Output } from '#contract/operations.ts';
import { t } from '#ui/languages/texts.ts';
import type { Session } from './session.ts';

/** The length of one part in bytes. */
const PART = 4 * 1024 * 1024;
/** The number of failed parts in a row after which the upload fails, and the time between two of them. */
const TRIES = 5;
const AGAIN_MS = 2_000;

type Upload = NonNullable<Output<'devices_upload_media'>['upload']>;

async function sendPart(session: Session, path: string, part: Blob, offset: number): Promise<void> {
  const answer = await fetch(path, {
    method: 'PATCH',
    body: part,
    headers: {
      ...session.client.headers(),
      'content-type': 'application/offset+octet-stream',
      'tus-resumable': '1.0.0',
      'upload-offset': String(offset),
    },
  });
  if (answer.ok) return;
  const body = (await answer.json().catch(() => null)) as { error?: { message?: string } } | null;
  throw new Error(
    body?.error?.message ?? t('The gateway refused a part of the file ({status}).', { status: answer.status }),
  );
}

/** Uploads a file as a file of the device, and returns its id. `onSent` gets the share that the gateway has, from 0 to 1. */
export async function uploadFile(
  session: Session,
  device: string,
  file: File,
  onSent: (share: number) => void,
): Promise<string | null> {
  const made = await session.client.call('devices_upload_media', { id: device, name: file.name, bytes: file.size });
  const { id, upload_url } = made.upload as Upload;
  // The page may have another host name than the gateway uses for itself, so only the path counts.
  const path = new URL(upload_url, location.href).pathname;
  let failed = 0;
  for (let offset = 0; offset < file.size; ) {
    onSent(offset / file.size);
    try {
      await sendPart(session, path, file.slice(offset, offset + PART), offset);
      offset = Math.min(file.size, offset + PART);
      failed = 0;
    } catch (error) {
      failed += 1;
      if (failed >= TRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      const has = await session.client.call('devices_media_status', { id: device, upload_id: id }).catch(() => null);
      if (has?.artifact_id != null) break;
      offset = has?.received ?? offset;
    }
  }
  onSent(1);
  return (await session.client.call('devices_media_status', { id: device, upload_id: id })).artifact_id;
}
