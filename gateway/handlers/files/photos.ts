/** Photos that people take of a machine. A person has no device, so the photo belongs to the machine. */
import { OperationError } from '#contract/base/errors.ts';
import { LIMITS } from '#contract/base/limits.ts';
import { say } from '#contract/base/told.ts';
import type { EquipmentData } from '#contract/fleet/equipment.ts';
import { handlerGroup } from '#contract/handler.ts';
import { type ArtifactData, MOST_WAITING_PHOTOS } from '#contract/work/artifact.ts';
import { SHOWN_IMAGES, sniffMedia } from '#contract/work/media.ts';
import { fromBase64 } from '#handlers/base/base64.ts';
import { requireRecord } from '#handlers/base/documents.ts';
import { toArtifact } from './artifacts.ts';

const HOUR_MS = 3_600_000;

export const photoHandlers = handlerGroup(['putArtifact'], {
  async equipment_upload_photo({ id, content_base64, name = null, captured_at }, context) {
    const { view, now } = context;
    await requireRecord<EquipmentData>(view, 'equipment', id);
    const content = fromBase64(content_base64);
    const content_type = sniffMedia(content);
    if (content_type === undefined || !SHOWN_IMAGES.has(content_type))
      throw new OperationError('parameter_invalid', 'The photo must be a JPEG, PNG, WebP, GIF or AVIF image.', {
        param: 'content_base64',
      });
    const waiting = await view.find('records', {
      object: 'artifact',
      where: { 'data.subject.id': id, 'data.kind': 'image', 'data.retention_until': { gt: now } },
      limit: MOST_WAITING_PHOTOS,
    });
    if (waiting.length >= MOST_WAITING_PHOTOS)
      throw new OperationError(
        'limit_reached',
        say(
          '{most_waiting_photos} photos of this machine are in no inspection yet. Send the inspections, or wait until the photos are deleted.',
          { most_waiting_photos: MOST_WAITING_PHOTOS },
        ),
      );
    const { sha256 } = await context.putArtifact(content);
    const data: ArtifactData = {
      kind: 'image',
      name,
      content_type,
      bytes: content.length,
      sha256,
      captured_at: captured_at === undefined ? null : new Date(captured_at).toISOString(),
      received_at: now,
      device_id: null,
      subject: { object: 'equipment', id },
      origin: null,
      retention_until: new Date(Date.parse(now) + LIMITS.upload_time.value * HOUR_MS).toISOString(),
      replication: 'local',
      media: null,
      run_id: null,
    };
    const artifact = context.newId('artifact');
    return toArtifact(view.stage({ collection: 'records', id: artifact, object: 'artifact', data, expected: 0 }), null);
  },
});
