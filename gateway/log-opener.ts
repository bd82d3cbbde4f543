/** Opens stored log files, so that a value can be followed back to its frame. */
import { openLogFile } from '#bridge/log-file.ts';
import type { ArtifactData } from '#contract/work/artifact.ts';
import { logPasswords } from '#handlers/files/decodes.ts';
import type { Ingest } from '#ingest/ingest-types.ts';
import { zoneOf } from '#runs/decode-file.ts';
import type { Foundation } from './foundation.ts';

/** Returns a function that opens a log file of the project by its artifact id; the result is undefined if the project has no such file. */
export function logOpener(
  { store, artifacts, sealer }: Pick<Foundation, 'store' | 'artifacts' | 'sealer'>,
  project_id: string,
): Parameters<Ingest['lineage']>[1] {
  return async (artifact_id) => {
    const view = store.view(project_id);
    const artifact = await view.get<ArtifactData>('records', artifact_id);
    if (artifact?.object !== 'artifact') return undefined;
    const { sha256, device_id } = artifact.data;
    const path = await artifacts.locate(sha256);
    if (path === undefined) return undefined;
    const passwords = device_id === null ? [] : await logPasswords(view, sealer, device_id);
    const log = await openLogFile(path, { passwords, timezone: await zoneOf(store, project_id) });
    return { log, device: device_id, received_ms: Date.parse(artifact.created_at) };
  };
}
