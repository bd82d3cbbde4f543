/** The thread that reads DBC files, and decodes logs with them; see `dbc-thread.ts`. */
import { createHash } from 'node:crypto';
import { on } from 'node:events';
import { constants, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { LogFileError, openLogFile } from '#bridge/log-file.ts';
import { part, say } from '#contract/base/told.ts';
import { DBC_BOUNDS, type DbcTextData } from '#contract/fleet/dbc.ts';
import { FrameBatch } from '#contract/fleet/frame.ts';
import { factsOf, listSignals, mappingFaults, toOurs } from '#domain/dbc/answers.ts';
import { layoutOf } from '#domain/dbc/mapping.ts';
import type { Dbc } from '#domain/dbc/model.ts';
import { withLines } from '#domain/dbc/note-lines.ts';
import { parseDbc } from '#domain/dbc/parse.ts';
import { DbcError } from '#domain/dbc/tokens.ts';
import { tryDbc } from '#domain/dbc/trial.ts';
import type { DbcAnswer, DbcDone, DbcFrames, DbcJob, DbcLog } from './dbc-job.ts';

/** The number of parsed files in the cache: the current one, and the one before. */
const CACHED = 2;
const ROWS = 500;

// On Linux each thread has its own priority; elsewhere this call would change the whole process.
if (process.platform === 'linux') setPriority(0, constants.priority.PRIORITY_LOW);

const port = parentPort;
if (port === null) throw new Error('dbc-worker.ts must run as a worker thread');
const inbox = on(port, 'message');
const next = async (): Promise<unknown> => ((await inbox.next()).value as unknown[])[0];
const post = (answer: DbcAnswer) => port.postMessage(answer);

interface CachedFile {
  readonly sha256: string;
  readonly bytes: Buffer;
  readonly dbc: Dbc;
}
/** Parsed files by SHA-256, in the order of their last use. */
const cache = new Map<string, CachedFile>();

/** Returns the file of a request; asks the main thread for the text of a file that is not in the cache. */
async function open({ of }: DbcJob): Promise<CachedFile> {
  const known = 'sha256' in of ? cache.get(of.sha256) : undefined;
  if (known !== undefined) {
    cache.delete(known.sha256);
    cache.set(known.sha256, known);
    return known;
  }
  if ('sha256' in of) post({ next: 'text' });
  const text = 'text' in of ? of.text : unpack((await next()) as DbcTextData);
  const bytes = Buffer.from(text);
  // The gateway stores the text as UTF-8, and the encoding replaces invalid characters (lone surrogates). So parse the text that these
  // bytes give, and not the text of the request.
  const dbc = parseDbc(bytes.toString());
  const one = { sha256: createHash('sha256').update(bytes).digest('hex'), bytes, dbc };
  for (const oldest of [...cache.keys()].slice(0, Math.max(0, cache.size - CACHED + 1))) cache.delete(oldest);
  cache.set(one.sha256, one);
  return one;
}

function unpack(data: DbcTextData): string {
  if ('text' in data) return data.text;
  return zstdDecompressSync(Buffer.from(data.packed, 'base64'), { maxOutputLength: 3 * DBC_BOUNDS.text }).toString();
}

async function* follow(): AsyncGenerator<FrameBatch> {
  const batch = new FrameBatch(0);
  for (;;) {
    post({ next: 'frames' });
    const frames = (await next()) as DbcFrames;
    if (frames === null) return;
    yield Object.assign(batch, frames);
  }
}

async function* read({ path, passwords }: DbcLog): AsyncGenerator<FrameBatch> {
  await using log = await openLogFile(path, { passwords });
  yield* log.batches();
}

async function answer(job: DbcJob): Promise<DbcDone[keyof DbcDone]> {
  const { sha256, bytes, dbc } = await open(job);
  const { ask } = job;
  if (ask.kind === 'signals') return listSignals(dbc, ask.q, { rows: ROWS, suggested: DBC_BOUNDS.mapped });
  if (ask.kind === 'read') {
    const faults = mappingFaults(dbc, ask.mapping);
    const layout = faults.length > 0 ? [] : layoutOf(dbc, ask.mapping);
    const facts = { sha256, bytes: bytes.length, ...factsOf(dbc), faults, layout };
    if (!('text' in job.of)) return { ...facts, packed: '' };
    const notes = withLines(dbc.notes, bytes.toString());
    return { ...facts, notes, packed: zstdCompressSync(bytes).toString('base64') };
  }
  const bounds = { frames: DBC_BOUNDS.frames, rows: ROWS, convert: toOurs(ask.mapping) };
  return tryDbc(dbc, ask.log === null ? follow() : read(ask.log), bounds);
}

/** The answer for an error that the caller can correct; throws every other error. */
function refusal(error: unknown): DbcAnswer {
  if (error instanceof DbcError) {
    const { code, line, column, what } = error;
    const message = say('The text is not a valid DBC file: line {line}, column {column}: {what}.', {
      line,
      column,
      what: part(what),
    });
    return { refused: { code: 'dbc_invalid', message, param: 'text', details: [{ code, line, column }] } };
  }
  if (!(error instanceof LogFileError)) throw error;
  const { code, message } = error;
  return { refused: { code: 'parameter_invalid', message, param: 'artifact_id', details: [{ code }] } };
}

for (;;) {
  const job = (await next()) as DbcJob;
  try {
    post({ done: await answer(job) });
  } catch (error) {
    post(refusal(error));
  }
}
