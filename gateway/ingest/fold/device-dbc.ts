/**
 * The DBC decoders of one device, one for each active DBC file. The snapshot (the stored state of ingest) includes the multi-packet
 * messages that the decoders have received only in part.
 */
import type { DbcSnapshot } from '#domain/dbc/decode.ts';
import type { LiveDbc } from '#domain/dbc/mapping.ts';
import { type OpenDbc, openDbc } from '#domain/dbc/values.ts';

/** The states of decoders with open multi-packet messages, by the id of the file version. */
export type DbcSnapshots = Readonly<Record<string, DbcSnapshot>>;

/**
 * Returns decoders for these files. A file that was active before keeps its decoder; other decoders start with the state in the snapshot.
 */
export function decodersOf(
  files: readonly LiveDbc[],
  before: readonly OpenDbc[],
  saved: DbcSnapshots = {},
): readonly OpenDbc[] {
  return files.map((file) => before.find((one) => one.file.id === file.id) ?? openDbc(file, saved[file.id]));
}

/** Returns the decoder states to store in the snapshot; undefined if no multi-packet message is open. */
export function snapshotDecoders(decoders: readonly OpenDbc[]): DbcSnapshots | undefined {
  const open = decoders
    .map(({ file, decoder }) => [file.id, decoder.snapshot()] as const)
    .filter(([, { transport }]) => transport.sessions.length > 0);
  return open.length === 0 ? undefined : Object.fromEntries(open);
}
