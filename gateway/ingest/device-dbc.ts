/** The decoders of one device by DBC files: one for each, kept while the file is active, told of in the snapshot while a message of several packets is open. */
import type { DbcDecoder, DbcSnapshot } from '#domain/dbc-decode.ts';
import type { LiveDbc } from '#domain/dbc-mapping.ts';

export interface DeviceDbc {
  readonly file: LiveDbc;
  readonly decoder: DbcDecoder;
}

/** Open messages of a file, by the id of the version. */
export type DbcSnapshots = Readonly<Record<string, DbcSnapshot>>;

/** Decoders for these files; those that go on are kept, others begin where the snapshot was. */
export function decodersOf(
  files: readonly LiveDbc[],
  before: readonly DeviceDbc[],
  saved: DbcSnapshots = {},
): readonly DeviceDbc[] {
  return files.map(
    (file) => before.find(({ file: { id } }) => id === file.id) ?? { file, decoder: file.plan.decoder(saved[file.id]) },
  );
}

/** What a restart goes on with; undefined when nothing is open. */
export function snapshotDecoders(decoders: readonly DeviceDbc[]): DbcSnapshots | undefined {
  const open = decoders
    .map(({ file, decoder }) => [file.id, decoder.snapshot()] as const)
    .filter(([, { transport }]) => transport.sessions.length > 0);
  return open.length === 0 ? undefined : Object.fromEntries(open);
}
