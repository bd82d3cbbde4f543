/** `headframe quarantine` and `headframe purge-device`. Both work whether the gateway runs or not, and also when the disk is full. */

import type { Client } from '#contract/client.ts';
import { EXIT } from '#process/supervisor.ts';
import type { Config } from '#settings/config.ts';
import { CommandError } from './command-line.ts';
import { withGateway } from './control.ts';

interface Named {
  readonly device: string;
  readonly json?: boolean | undefined;
}

/** Finds the project and the record of a device by its device_id or by the id of its record. */
async function findDevice(client: Client, name: string): Promise<{ readonly project_id: string; readonly id: string }> {
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await client.call('projects_list', { limit: 200, ...(cursor ? { cursor } : {}) });
    for (const { id: project_id } of page.data) {
      const { data } = await client.call('devices_list', { device_id: name, limit: 1 }, { project_id });
      const [found] = data;
      if (found !== undefined) return { project_id, id: found.id };
      const record = name.startsWith('dev_')
        ? await client.call('devices_get', { id: name }, { project_id }).catch(() => undefined)
        : undefined;
      if (record !== undefined) return { project_id, id: record.id };
    }
    cursor = page.next_cursor;
  }
  throw new CommandError(`There is no device ${name} on this gateway.`, EXIT.fault);
}

function print(args: Named, answer: object, text: string): void {
  process.stdout.write(args.json ? `${JSON.stringify(answer)}\n` : `${text}\n`);
}

/** Runs `headframe quarantine DEVICE_ID [--release]`. */
export async function runQuarantine(config: Config, args: Named & { readonly release?: boolean | undefined }) {
  const quarantined = args.release !== true;
  const device = await withGateway(config, async (client) => {
    const { project_id, id } = await findDevice(client, args.device);
    return client.call('devices_quarantine', { id, quarantined }, { project_id });
  });
  const text = quarantined
    ? 'is in quarantine: the gateway refuses its keys. --release ends the quarantine.'
    : 'is no longer in quarantine.';
  print(args, device, `${device.device_id} ${text}`);
}

/** Runs `headframe purge-device DEVICE_ID [--history]`. */
export async function runPurge(config: Config, args: Named & { readonly history?: boolean | undefined }) {
  const sum = { events: 0, files: 0, segments: 0, freed_bytes: 0 };
  await withGateway(config, async (client) => {
    const { project_id, id } = await findDevice(client, args.device);
    const what = ['events' as const, 'files' as const, ...(args.history ? ['history' as const] : [])];
    for (let done = false; !done; ) {
      const one = await client.call('devices_purge', { id, what }, { project_id });
      for (const key of ['events', 'files', 'segments', 'freed_bytes'] as const) sum[key] += one[key];
      done = one.done;
    }
  });
  const removed = `${sum.events} entries, ${sum.files} files and ${sum.segments} pieces of history`;
  print(
    args,
    sum,
    `${args.device}: removed ${removed}; ${(sum.freed_bytes / 1e6).toFixed(1)} MB of disk space are free again.`,
  );
}
