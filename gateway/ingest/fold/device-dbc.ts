/** The decoders of one device by DBC files: one for each, kept while the file is active, told of in the snapshot while a message of several packets is open. */
import type { DbcSnapshot } from '#domain/dbc/decode.ts';
import type { LiveDbc } from '#domain/dbc/mapping.ts';
import { type OpenDbc, openDbc } from '#domain/dbc/values.ts';

/** Open messages of a file, by the id of the version. */
export type DbcSnapshots = Readonly<Record<string, DbcSnapshot>>;

/** Decoders for these files; those that go on are kept, others begin where the snapshot was. */
export function decodersOf(
  files: readonly LiveDbc[],
  before: readonly OpenDbc[],
  saved: DbcSnapshots = {},
): readonly OpenDbc[] {
  return files.map((file) => before.find((one) => one.file.id === file.id) ?? openDbc(file, saved[file.id]));
}

/** What a restart goes on with; undefined when nothing is open. */
export function snapshotDecoders(decoders: readonly OpenDbc[]): DbcSnapshots | undefined {
  const open = decoders
    .map(({ file, decoder }) => [file.id, decoder.snapshot()] as const)
    .filter(([, { transport }]) => transport.sessions.length > 0);
  return open.length === 0 ? undefined : Object.fromEntries(open);
}
