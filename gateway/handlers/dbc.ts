/** DBC files: imported as versions that never change, mapped to our signals, tried on recorded logs, and switched on and off. */
import type { ArtifactData } from '#contract/artifact.ts';
import type { HandlerContext, RecordedFrames } from '#contract/context.ts';
import { DBC_BOUNDS, type DbcFileData, type DbcTextData, type MappedSignal } from '#contract/dbc.ts';
import { OperationError } from '#contract/errors.ts';
import type { Output } from '#contract/operations.ts';
import { isPlausible, isSignal, type SignalName, signalRow } from '#contract/signals.ts';
import type { Stored } from '#contract/view.ts';
import { conversionOf, idText, layoutOf, suggestMapping, unitsOf } from '#domain/dbc-mapping.ts';
import type { Dbc } from '#domain/dbc-model.ts';
import { parseDbc } from '#domain/dbc-parse.ts';
import { DbcError } from '#domain/dbc-tokens.ts';
import { tryDbc } from '#domain/dbc-trial.ts';
import { pgnOf } from '#domain/j1939-identifier.ts';
import { stageAudit } from './audit.ts';
import { logPasswords } from './decodes.ts';
import { checkRevision, NO_CONTEXT, notFound, requireRecord, requireRecords, wireBase } from './documents.ts';
import type { Handlers } from './handler.ts';
import { listPage } from './lists.ts';

type DbcFile = Output<'dbc_get'>;

/** Rows of an answer. */
const SHOWN = 500;
/** Tests at a time: each reads for seconds. */
const TESTS = 2;
let testing = 0;

function toFile(document: Stored<DbcFileData>): DbcFile {
  const { layout: _, ...data } = document.data;
  return { object: 'dbc_file', ...wireBase(document), ...data, context: NO_CONTEXT };
}

const textId = (id: string): string => `${id}:text`;

/** Reads a file that a caller sent; throws `dbc_invalid` with the place. */
function readFile(text: string): Dbc {
  try {
    return parseDbc(text);
  } catch (error) {
    if (!(error instanceof DbcError)) throw error;
    throw new OperationError('dbc_invalid', `This is no DBC that can be read: ${error.message}.`, {
      param: 'text',
      details: [{ code: error.code, line: error.line, column: error.column }],
    });
  }
}

/** The file as it was imported. */
async function readStored(context: HandlerContext, id: string): Promise<Dbc> {
  const found = await context.view.get<DbcTextData>('records', textId(id));
  if (found?.object !== 'dbc_text') throw new Error(`the text of ${id} is gone`);
  return parseDbc(found.data.text);
}

/** Refuses what maps nothing: names that the file has not, units that do not fit. */
function checkMapping(dbc: Dbc, mapping: readonly MappedSignal[]): void {
  const seen = new Set<string>();
  for (const [i, { message, signal, to, unit }] of mapping.entries()) {
    const name = `${message}.${signal}`;
    const found = dbc.messages.find((one) => one.name === message)?.signals.find((one) => one.name === signal);
    const written = unit ?? found?.unit ?? '';
    const wrong = seen.has(name)
      ? `${name} is mapped twice.`
      : found === undefined
        ? `There is no signal ${name} in this file.`
        : isSignal(to) && conversionOf(written, to) === undefined
          ? `${name} is in ${written === '' ? 'no unit' : `"${written}"`}, and ${to} is in ${signalRow(to).unit}: say its \`unit\` where the file does not.`
          : undefined;
    seen.add(name);
    if (wrong === undefined) continue;
    const details = found !== undefined && isSignal(to) ? [{ units: unitsOf(to) }] : [];
    throw new OperationError('parameter_invalid', wrong, { param: `mapping[${i}]`, details });
  }
}

function stageFile(
  context: HandlerContext,
  current: Stored<DbcFileData>,
  changes: Partial<DbcFileData>,
  type: string,
): DbcFile {
  const { view } = context;
  const { id } = current;
  const data = { ...current.data, ...changes };
  const document = view.stage<DbcFileData>({
    collection: 'records',
    id,
    object: 'dbc_file',
    data,
    current,
    expected: current.revision,
  });
  const { layout: _, ...told } = changes;
  stageAudit(context, view, 'dbc_file', id, type, { name: data.name, version: data.version, ...shown(told) });
  return toFile(document);
}

/** A mapping is told by its size. */
function shown({ mapping, ...rest }: Partial<DbcFileData>): Record<string, unknown> {
  return { ...rest, ...(mapping === undefined ? {} : { mapped: mapping.length }) };
}

/** All files of the project; they are few. */
async function allFiles(context: HandlerContext): Promise<Stored<DbcFileData>[]> {
  return context.view.find<DbcFileData>('records', { object: 'dbc_file', order: 'asc', limit: DBC_BOUNDS.files });
}

/** The frames of a log of the project. */
async function recordedIn(context: HandlerContext, artifact_id: string): Promise<RecordedFrames> {
  const { view, sealer } = context;
  const artifact = await requireRecord<ArtifactData>(view, 'artifact', artifact_id, 'artifact_id');
  const { device_id, sha256 } = artifact.data;
  const passwords = device_id === null ? [] : await logPasswords(view, sealer, device_id);
  const log = await context.framesOf(sha256, passwords);
  if (log === undefined) throw notFound('artifact', 'artifact_id');
  return log;
}

/** What a device of the project sent in the last minutes. */
async function recentOf(context: HandlerContext, device: string, minutes: number): Promise<RecordedFrames> {
  await requireRecord(context.view, 'device', device, 'device_id');
  const since_ms = Date.parse(context.now) - minutes * 60_000;
  return {
    batches: () => context.recentFrames(device, since_ms),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

export const dbcHandlers = {
  async dbc_import({ name, text, mapping }, context) {
    const { view } = context;
    const dbc = readFile(text);
    checkMapping(dbc, mapping);
    const files = await allFiles(context);
    if (files.length >= DBC_BOUNDS.files)
      throw new OperationError('limit_reached', `A project has ${DBC_BOUNDS.files} versions of DBC files at most.`);
    const id = context.newId('dbc_file');
    const bytes = new TextEncoder().encode(text);
    const data: DbcFileData = {
      name,
      version: 1 + Math.max(0, ...files.filter((one) => one.data.name === name).map((one) => one.data.version)),
      file_version: dbc.version.slice(0, 200),
      sha256: context.sha256(bytes),
      bytes: bytes.length,
      messages: dbc.messages.length,
      signals: dbc.messages.reduce((sum, { signals }) => sum + signals.length, 0),
      notes: [...dbc.notes],
      mapping,
      active: false,
      device_ids: null,
      first_activated_at: null,
      layout: layoutOf(dbc, mapping),
    };
    const document = view.stage<DbcFileData>({ collection: 'records', id, object: 'dbc_file', data, expected: 0 });
    view.stage<DbcTextData>({
      collection: 'records',
      id: textId(id),
      object: 'dbc_text',
      data: { text },
      expected: 0,
    });
    stageAudit(context, view, 'dbc_file', id, 'created', { name, version: data.version, sha256: data.sha256 });
    return toFile(document);
  },

  async dbc_list(input, context) {
    return listPage<DbcFileData, DbcFile>(context, context.view, 'records', input, { object: 'dbc_file' }, (found) =>
      found.map(toFile),
    );
  },

  async dbc_get({ id }, context) {
    return toFile(await requireRecord<DbcFileData>(context.view, 'dbc_file', id));
  },

  async dbc_signals({ id, q }, context) {
    await requireRecord<DbcFileData>(context.view, 'dbc_file', id);
    const { messages } = await readStored(context, id);
    const wanted = q?.toLowerCase();
    const rows = messages.flatMap((message) =>
      message.signals
        .filter(({ name }) => wanted === undefined || `${message.name}.${name}`.toLowerCase().includes(wanted))
        .map(({ name, unit, spn, comment }) => ({
          message: message.name,
          id: idText(message.id, message.extended),
          pgn: message.j1939 ? pgnOf(message.id) : null,
          signal: name,
          unit,
          spn,
          comment: comment.slice(0, 500),
        })),
    );
    const suggested = suggestMapping(messages).slice(0, DBC_BOUNDS.mapped);
    return { object: 'dbc_signals', total: rows.length, data: rows.slice(0, SHOWN), suggested };
  },

  async dbc_map({ id, mapping }, context) {
    const current = await requireRecord<DbcFileData>(context.view, 'dbc_file', id);
    checkRevision(context, current);
    if (current.data.first_activated_at !== null)
      throw new OperationError(
        'invalid_transition',
        'This version has decoded already and stays as it is; import the file again for another mapping.',
        { param: 'mapping' },
      );
    const dbc = await readStored(context, id);
    checkMapping(dbc, mapping);
    if (JSON.stringify(mapping) === JSON.stringify(current.data.mapping)) return toFile(current);
    return stageFile(context, current, { mapping, layout: layoutOf(dbc, mapping) }, 'updated');
  },

  async dbc_test({ id, artifact_id, device_id, minutes }, context) {
    const file = await requireRecord<DbcFileData>(context.view, 'dbc_file', id);
    if ((artifact_id === undefined) === (device_id === undefined))
      throw new OperationError('parameter_missing', 'Give one of `artifact_id` and `device_id`.', {
        param: 'artifact_id',
      });
    if (testing >= TESTS) throw new OperationError('rate_limited', 'Two tests run already; try again in a moment.');
    testing++;
    try {
      await using log =
        artifact_id === undefined
          ? await recentOf(context, device_id ?? '', minutes)
          : await recordedIn(context, artifact_id);
      const { mapping, version } = file.data;
      const convert = (message: string, signal: string, unit: string) => convertBy(mapping, message, signal, unit);
      const bounds = { frames: DBC_BOUNDS.frames, rows: SHOWN, convert };
      const found = await tryDbc(await readStored(context, id), log.batches(), bounds);
      const of = { artifact_id: artifact_id ?? null, device_id: device_id ?? null };
      return { object: 'dbc_test', dbc_id: id, version, ...of, ...found };
    } finally {
      testing--;
    }
  },

  async dbc_activate({ id, device_ids }, context) {
    const { view } = context;
    const current = await requireRecord<DbcFileData>(view, 'dbc_file', id);
    checkRevision(context, current);
    const wanted = device_ids === null ? null : [...new Set(device_ids)].sort();
    if (wanted !== null) await requireRecords(view, 'device', wanted, 'device_ids');
    const { name, mapping, active } = current.data;
    if (mapping.length === 0)
      throw new OperationError('invalid_transition', 'Nothing of this file is mapped to a signal of ours yet.', {
        param: 'id',
      });
    if (active && JSON.stringify(wanted) === JSON.stringify(current.data.device_ids)) return toFile(current);
    const others = (await allFiles(context)).filter((one) => one.id !== id && one.data.active);
    const versions = others.filter((one) => one.data.name === name);
    if (others.length - versions.length >= DBC_BOUNDS.active)
      throw new OperationError('limit_reached', `${DBC_BOUNDS.active} DBC files are active at most.`);
    for (const one of versions) stageFile(context, one, { active: false }, 'deactivated');
    const first_activated_at = current.data.first_activated_at ?? context.now;
    return stageFile(context, current, { active: true, device_ids: wanted, first_activated_at }, 'activated');
  },

  async dbc_deactivate({ id }, context) {
    const current = await requireRecord<DbcFileData>(context.view, 'dbc_file', id);
    checkRevision(context, current);
    return current.data.active ? stageFile(context, current, { active: false }, 'deactivated') : toFile(current);
  },

  async dbc_delete({ id }, context) {
    const { view } = context;
    const current = await requireRecord<DbcFileData>(view, 'dbc_file', id);
    checkRevision(context, current);
    const { data, revision: expected } = current;
    if (data.active)
      throw new OperationError('invalid_transition', 'This version is active; deactivate it first.', { param: 'id' });
    view.stage({ collection: 'records', id, object: 'dbc_file', data, current, expected, deleted: true });
    const text = await requireRecord<DbcTextData>(view, 'dbc_text', textId(id));
    // A tombstone needs no text.
    view.stage({
      collection: 'records',
      id: text.id,
      object: 'dbc_text',
      data: { text: '' },
      current: text,
      expected: text.revision,
      deleted: true,
    });
    stageAudit(context, view, 'dbc_file', id, 'deleted', { name: data.name, version: data.version });
    return { object: 'dbc_file', id, deleted: true as const };
  },
} satisfies Handlers;

/** What a number of a mapped signal is in our unit, and whether ours can have it; undefined for one that is not mapped. */
function convertBy(mapping: readonly MappedSignal[], message: string, signal: string, unit: string) {
  const mapped = mapping.find((one) => one.message === message && one.signal === signal);
  if (mapped === undefined) return undefined;
  const to = mapped.to as SignalName;
  const conversion = conversionOf(mapped.unit ?? unit, to);
  if (conversion === undefined) return undefined;
  return { to, isPlausible: (value: number) => isPlausible(to, value * conversion.factor + conversion.offset) };
}
