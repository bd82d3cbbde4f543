/**
 * Operations on DBC files, which describe the signals in CAN frames. A caller imports a file as a version that never changes, maps its
 * signals to the signals of Headframe, tests the version, and activates or deactivates it.
 */

import { OperationError } from '#contract/base/errors.ts';
import { say } from '#contract/base/told.ts';
import type { Stored } from '#contract/base/view.ts';
import type { DbcRead, DbcText, HandlerContext } from '#contract/context.ts';
import { DBC_BOUNDS, type DbcFileData, type DbcTextData } from '#contract/fleet/dbc.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { Output } from '#contract/operations.ts';
import type { ArtifactData } from '#contract/work/artifact.ts';
import { stageAudit } from '#handlers/base/audit.ts';
import {
  checkRevision,
  NO_CONTEXT,
  notFound,
  requireRecord,
  requireRecords,
  wireBase,
} from '#handlers/base/documents.ts';
import { listPage } from '#handlers/base/lists.ts';
import { logPasswords } from './decodes.ts';

type DbcFile = Output<'dbc_get'>;

function toFile(document: Stored<DbcFileData>): DbcFile {
  const { layout: _, ...data } = document.data;
  return { object: 'dbc_file', ...wireBase(document), ...data, context: NO_CONTEXT };
}

const textId = (id: string): string => `${id}:text`;

/** Returns the input of the DBC reader for a file: the id of the file and a function that reads its text. */
function kept(context: HandlerContext, { id, data }: Stored<DbcFileData>): DbcText {
  return {
    sha256: data.sha256,
    async text() {
      const found = await context.view.get<DbcTextData>('records', textId(id));
      if (found?.object !== 'dbc_text') throw new Error(`the store has no text for the DBC file ${id}`);
      return found.data;
    },
  };
}

/** Throws `parameter_invalid` if a mapping has faults. The message describes the first fault, and `details` lists all faults. */
function checkMapping(faults: DbcRead['faults']): void {
  const [first] = faults;
  if (first === undefined) return;
  throw new OperationError('parameter_invalid', first.message, {
    param: `mapping[${first.at}]`,
    details: faults.map(({ at, message, units }) => ({ param: `mapping[${at}]`, message, units })),
  });
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
  const { layout: _, ...logged } = changes;
  stageAudit(context, view, 'dbc_file', id, type, { name: data.name, version: data.version, ...shown(logged) });
  return toFile(document);
}

/** Returns the changed fields for the audit log. A mapping may be long, so the entry has only the number of its signals. */
function shown({ mapping, ...rest }: Partial<DbcFileData>): Record<string, unknown> {
  return { ...rest, ...(mapping === undefined ? {} : { mapped: mapping.length }) };
}

/** Returns all DBC files of the project. A project has at most `DBC_BOUNDS.files`. */
async function allFiles(context: HandlerContext): Promise<Stored<DbcFileData>[]> {
  return context.view.find<DbcFileData>('records', { object: 'dbc_file', order: 'asc', limit: DBC_BOUNDS.files });
}

/** Returns a recorded log of the project, on which `dbc_test` tests a DBC file. */
async function recordedIn(context: HandlerContext, artifact_id: string) {
  const { view, sealer } = context;
  const artifact = await requireRecord<ArtifactData>(view, 'artifact', artifact_id, 'artifact_id');
  const { device_id, sha256 } = artifact.data;
  return { log: sha256, passwords: device_id === null ? [] : await logPasswords(view, sealer, device_id) };
}

/** Returns the CAN frames that a device sent in the last minutes, on which `dbc_test` tests a DBC file. */
async function recentOf(context: HandlerContext<'recentFrames'>, device: string, minutes: number) {
  await requireRecord(context.view, 'device', device, 'device_id');
  return { frames: context.recentFrames(device, Date.parse(context.now) - minutes * 60_000) };
}

export const dbcHandlers = handlerGroup(['dbc'], {
  async dbc_import({ name, text, mapping }, context) {
    const { view } = context;
    const { faults, packed, ...read } = await context.dbc.read(text, mapping);
    checkMapping(faults);
    const files = await allFiles(context);
    if (files.length >= DBC_BOUNDS.files)
      throw new OperationError(
        'limit_reached',
        say('A project can have at most {files} versions of DBC files.', { files: DBC_BOUNDS.files }),
      );
    const id = context.newId('dbc_file');
    const data: DbcFileData = {
      name,
      version: 1 + Math.max(0, ...files.filter((one) => one.data.name === name).map((one) => one.data.version)),
      ...read,
      mapping,
      active: false,
      device_ids: null,
      first_activated_at: null,
    };
    const document = view.stage<DbcFileData>({ collection: 'records', id, object: 'dbc_file', data, expected: 0 });
    view.stage<DbcTextData>({
      collection: 'records',
      id: textId(id),
      object: 'dbc_text',
      data: { packed },
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
    const file = await requireRecord<DbcFileData>(context.view, 'dbc_file', id);
    return { object: 'dbc_signals', ...(await context.dbc.signals(kept(context, file), q)) };
  },

  async dbc_map({ id, mapping }, context) {
    const current = await requireRecord<DbcFileData>(context.view, 'dbc_file', id);
    checkRevision(context, current);
    if (current.data.first_activated_at !== null)
      throw new OperationError(
        'invalid_transition',
        'This version has been active, so its mapping cannot change. Import the file again for another mapping.',
        { param: 'mapping' },
      );
    const { faults, layout } = await context.dbc.layout(kept(context, current), mapping);
    checkMapping(faults);
    if (JSON.stringify(mapping) === JSON.stringify(current.data.mapping)) return toFile(current);
    return stageFile(context, current, { mapping, layout }, 'updated');
  },

  async dbc_activate({ id, device_ids }, context) {
    const { view } = context;
    const current = await requireRecord<DbcFileData>(view, 'dbc_file', id);
    checkRevision(context, current);
    const wanted = device_ids === null ? null : [...new Set(device_ids)].sort();
    if (wanted !== null) await requireRecords(view, 'device', wanted, 'device_ids');
    const { name, mapping, active } = current.data;
    if (mapping.length === 0)
      throw new OperationError(
        'invalid_transition',
        'No signal of this file is mapped. Map signals with `dbc_map` first.',
        {
          param: 'id',
        },
      );
    if (active && JSON.stringify(wanted) === JSON.stringify(current.data.device_ids)) return toFile(current);
    const others = (await allFiles(context)).filter((one) => one.id !== id && one.data.active);
    const versions = others.filter((one) => one.data.name === name);
    if (others.length - versions.length >= DBC_BOUNDS.active)
      throw new OperationError(
        'limit_reached',
        say('At most {active} DBC files can be active.', { active: DBC_BOUNDS.active }),
      );
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
    // The text of the DBC file is a separate document, so delete that document too.
    view.stage({
      collection: 'records',
      id: text.id,
      object: 'dbc_text',
      data: { packed: '' },
      current: text,
      expected: text.revision,
      deleted: true,
    });
    stageAudit(context, view, 'dbc_file', id, 'deleted', { name: data.name, version: data.version });
    return { object: 'dbc_file', id, deleted: true as const };
  },
});

/** The handler of `dbc_test`, which tests a DBC file on a recorded log or on recent CAN frames of a device. */
export const dbcTestHandlers = handlerGroup(['dbc', 'recentFrames'], {
  async dbc_test({ id, artifact_id, device_id, minutes }, context) {
    const file = await requireRecord<DbcFileData>(context.view, 'dbc_file', id);
    if ((artifact_id === undefined) === (device_id === undefined))
      throw new OperationError('parameter_missing', 'Give either `artifact_id` or `device_id`.', {
        param: 'artifact_id',
      });
    const traffic =
      artifact_id === undefined
        ? await recentOf(context, device_id ?? '', minutes)
        : await recordedIn(context, artifact_id);
    const found = await context.dbc.trial(kept(context, file), file.data.mapping, traffic);
    if (found === undefined) throw notFound('artifact', 'artifact_id');
    const of = { artifact_id: artifact_id ?? null, device_id: device_id ?? null };
    return { object: 'dbc_test', dbc_id: id, version: file.data.version, ...of, ...found };
  },
});
