/** The `headframe` program: descriptions and flags of all its commands. A command imports its implementation only when it runs. */
import { type ArgsDef, defineCommand } from 'citty';
import { BRIDGE_SETTINGS, type Flags, readBridgeConfig, readConfig, SETTINGS } from '#settings/config.ts';
import { VERSION } from '#settings/version.ts';
import { runCommandLine } from './command-line.ts';
import { createConsole } from './console.ts';

/** Returns the flags of a command for the named settings, with their descriptions from `SETTINGS`. */
function settings(...names: readonly (keyof typeof SETTINGS)[]): ArgsDef {
  return Object.fromEntries(
    names.flatMap((name) => {
      const row = SETTINGS[name];
      if (!('flag' in row)) return [];
      const description = `${row.description} (${row.env}; ${row.fallback} when absent)`;
      return [[row.flag, { type: 'string' as const, description }]];
    }),
  );
}

const serving = settings('data', 'host', 'port', 'mqttPort', 'bucketPort', 'log');
const data = settings('data');
const json = { json: { type: 'boolean', description: 'Print JSON' } } as const satisfies ArgsDef;

/** Returns the values of the flags in the form that `readConfig` expects. */
function flags(args: Record<string, unknown>): Flags {
  return Object.fromEntries(
    Object.values(SETTINGS).flatMap((row) => {
      const value = 'flag' in row ? args[row.flag] : undefined;
      return 'flag' in row && typeof value === 'string' ? [[row.flag, value]] : [];
    }),
  );
}

const start = defineCommand({
  meta: { description: 'Run the gateway: broker, decoding, REST, MCP and screens' },
  args: serving,
  async run({ args }) {
    const say = createConsole();
    const config = readConfig(flags(args), undefined, say.person ? { log: 'warn' } : {});
    const { runGateway } = await import('./start.ts');
    return runGateway(config, say);
  },
});

const demo = defineCommand({
  meta: {
    description: 'Run a gateway with a simulated quarry of 12 machines, in a data folder of its own beside --data',
  },
  args: { ...serving, fresh: { type: 'boolean', description: 'Forget the demo that was there' } },
  async run({ args }) {
    const say = createConsole();
    const config = readConfig(flags(args), undefined, say.person ? { log: 'warn' } : {});
    const { runDemo } = await import('./demo.ts');
    return runDemo(config, say, { fresh: args.fresh === true });
  },
});

const keys = defineCommand({
  meta: { description: 'Workspace keys: create, list, revoke' },
  subCommands: {
    create: defineCommand({
      meta: { description: 'Create a workspace key; it is shown once' },
      args: {
        name: { type: 'string', description: 'What the key is for' },
        role: {
          type: 'string',
          description: 'owner, admin, supervisor, mechanic, operator, viewer or agent (admin when absent)',
        },
        project: {
          type: 'string',
          description: 'Project id it is restricted to; several with commas (all when absent)',
        },
        days: { type: 'string', description: 'Days until it expires (never when absent)' },
        ...json,
        ...data,
      },
      async run({ args }) {
        const { createKey } = await import('./keys.ts');
        await createKey(readConfig(flags(args)), args);
      },
    }),
    list: defineCommand({
      meta: { description: 'List workspace keys, without their secrets' },
      args: { ...json, ...data },
      async run({ args }) {
        const { listKeys } = await import('./keys.ts');
        await listKeys(readConfig(flags(args)), args);
      },
    }),
    revoke: defineCommand({
      meta: { description: 'Revoke a workspace key at once' },
      args: {
        id: { type: 'positional', required: true, description: 'Id of the key, as `keys list` prints it' },
        ...json,
        ...data,
      },
      async run({ args }) {
        const { revokeKey } = await import('./keys.ts');
        await revokeKey(readConfig(flags(args)), args);
      },
    }),
  },
});

const claimCode = defineCommand({
  meta: { description: 'Print a new claim code for a gateway that nobody owns yet' },
  args: { ...json, ...data },
  async run({ args }) {
    const { claimCode } = await import('./keys.ts');
    await claimCode(readConfig(flags(args)), args);
  },
});

const password = {
  password: {
    type: 'string',
    description: 'Of an encrypted log (.MFE, .MFM): the one in the configuration of the logger',
  },
} as const satisfies ArgsDef;

const timezone = {
  timezone: {
    type: 'string',
    description: 'Time zone of dates without a zone (ASC, TRC), such as Europe/Berlin; UTC when absent',
  },
} as const satisfies ArgsDef;

const inspect = defineCommand({
  meta: {
    description:
      'Say what is in a log (MF4, ASC, TRC, candump): machine, trouble codes, signals, control units, buses, and what could not be read',
  },
  args: {
    file: { type: 'positional', required: true, description: 'Log file, - for standard input' },
    ...password,
    ...timezone,
    ...json,
  },
  async run({ args }) {
    const { runInspect } = await import('./inspect.ts');
    return runInspect(args);
  },
});

const convert = defineCommand({
  meta: { description: 'Write a log of any format that is read (MF4, ASC, TRC, candump) as another' },
  args: {
    file: { type: 'positional', required: true, description: 'Log file, - for standard input' },
    to: {
      type: 'string',
      description:
        'csv (decoded values, a row each second), csv-frames (raw bytes), candump, console, asc, mf4 or slcan; what the end of --out means when absent',
    },
    out: { type: 'string', alias: 'o', description: 'File to write; standard output when absent' },
    force: { type: 'boolean', description: 'Replace a file that is there' },
    bus: { type: 'string', description: 'Only these buses, such as 0 or 1,2' },
    id: { type: 'string', description: 'Only these identifiers, hexadecimal, such as 18FEEE00 or 123,7E8' },
    pgn: { type: 'string', description: 'Only these parameter groups, such as 65262, 0xFEEE or ET1' },
    from: {
      type: 'string',
      description: 'Only from this time on, such as 2026-06-01T06:30:00Z, or 90s after the first frame',
    },
    until: { type: 'string', description: 'Only up to this time' },
    signal: {
      type: 'string',
      description: 'csv: only these, such as engine.speed, SPN 190 or "oil pressure"; several with commas',
    },
    every: { type: 'string', description: 'csv: one row each 100ms, 1s, 5m ... (1s when absent), or all' },
    ...password,
    ...timezone,
  },
  async run({ args }) {
    const { runConvert } = await import('./convert.ts');
    return runConvert(args);
  },
});

const replay = defineCommand({
  meta: {
    description: 'Publish a log (MF4, ASC, TRC, candump) to the running gateway as a device, with its own timestamps',
  },
  args: {
    file: { type: 'positional', required: true, description: 'Log file, - for standard input' },
    device: { type: 'string', required: true, description: 'device_id to publish as; made when it does not exist' },
    speed: { type: 'string', description: 'Times real time; 0 is as fast as the gateway acknowledges (1 when absent)' },
    now: { type: 'boolean', description: 'Frames carry the time at which they are played, not their own' },
    ...password,
    ...timezone,
    project: { type: 'string', description: 'Project for a device that is made (needed when there are several)' },
    ...json,
    ...data,
  },
  async run({ args }) {
    const { runReplay } = await import('./replay.ts');
    return runReplay(readConfig(flags(args)), args);
  },
});

const simulate = defineCommand({
  meta: {
    description:
      'Simulate a site by seed: haul cycles, crews, breakdowns, wrong clocks, links that fail; into the running gateway, or as a log',
  },
  args: {
    seed: { type: 'string', description: 'Whole number; the same seed is the same site (1 when absent)' },
    speed: {
      type: 'string',
      description: 'Times real time; 0 is as fast as acknowledged (1 when absent, 0 with --out)',
    },
    machines: { type: 'string', description: 'How many machines, 1 to 200 (6 when absent)' },
    for: { type: 'string', description: 'Simulated time, such as 90s, 30m, 8h, 2d (1h when absent)' },
    start: {
      type: 'string',
      description: 'Time at which it begins (so that it ends now when absent; with --out 2026-06-01T06:30:00Z)',
    },
    out: {
      type: 'string',
      alias: 'o',
      description: 'File for a log, - for standard output; machine k is bus k. Without it: devices sim-* over MQTT',
    },
    to: {
      type: 'string',
      description:
        'Format of the log: candump, console, asc, csv-frames, mf4 or slcan; what the end of --out means, else candump',
    },
    ...json,
    ...data,
  },
  async run({ args }) {
    const { runSimulate } = await import('./simulate.ts');
    return runSimulate(readConfig(flags(args)), args);
  },
});

const bridge = defineCommand({
  meta: {
    description:
      'Send the frames of a CAN bus of this host to a gateway on another host over MQTT; it only listens to the bus, and stores frames on disk while the gateway is unreachable',
  },
  args: {
    ...Object.fromEntries(
      Object.values(BRIDGE_SETTINGS).map(({ flag, description, env }) => [
        flag,
        { type: 'string' as const, description: `${description} (${env})` },
      ]),
    ),
    ...settings('data', 'log'),
  },
  async run({ args }) {
    const given = Object.entries(args).flatMap(([flag, value]) => (typeof value === 'string' ? [[flag, value]] : []));
    const { runBridge } = await import('./bridge.ts');
    return runBridge(readBridgeConfig(Object.fromEntries(given)));
  },
});

const mcp = defineCommand({
  meta: {
    description:
      'Model tools over standard input and output, for MCP clients that start their servers themselves; acts as HEADFRAME_API_KEY, else as this machine',
  },
  args: {
    url: { type: 'string', description: 'Address of a gateway elsewhere (the one on the data folder when absent)' },
    project: { type: 'string', description: 'Project id that tools use when they name none' },
    ...data,
  },
  async run({ args }) {
    const { runMcp } = await import('./mcp.ts');
    return runMcp(readConfig(flags(args)), args);
  },
});

const verify = defineCommand({
  meta: {
    description: 'Read everything in the data folder, or in a copy named with --data, and say whether it is sound',
  },
  args: { ...json, ...data },
  async run({ args }) {
    const { runVerify } = await import('./custody-commands.ts');
    return runVerify(readConfig(flags(args)), args);
  },
});

const backup = defineCommand({
  meta: { description: 'Copy the data folder, its gateway running or not, and verify the copy' },
  args: {
    folder: { type: 'positional', required: true, description: 'Folder for the copy; it must not exist yet' },
    ...data,
  },
  async run({ args }) {
    const { runBackup } = await import('./custody-commands.ts');
    await runBackup(readConfig(flags(args)), args);
  },
});

const restore = defineCommand({
  meta: { description: 'Put a copy in the place of a data folder that is absent or empty' },
  args: { folder: { type: 'positional', required: true, description: 'Copy made by `headframe backup`' }, ...data },
  async run({ args }) {
    const { runRestore } = await import('./custody-commands.ts');
    await runRestore(readConfig(flags(args)), args);
  },
});

const device = {
  device: { type: 'positional', required: true, description: 'device_id, or the id of its record' },
} as const satisfies ArgsDef;

const quarantine = defineCommand({
  meta: {
    description:
      'Lock a device out, so that the gateway accepts nothing from it; works whether the gateway runs or not',
  },
  args: { ...device, release: { type: 'boolean', description: 'Let it in again' }, ...json, ...data },
  async run({ args }) {
    const { runQuarantine } = await import('./quarantine.ts');
    await runQuarantine(readConfig(flags(args)), args);
  },
});

const purgeDevice = defineCommand({
  meta: { description: 'Remove what a device stored, its gateway running or not, on a full disk too' },
  args: {
    ...device,
    history: { type: 'boolean', description: 'Also the history of its machine since it was linked' },
    ...json,
    ...data,
  },
  async run({ args }) {
    const { runPurge } = await import('./quarantine.ts');
    await runPurge(readConfig(flags(args)), args);
  },
});

const history = defineCommand({
  meta: { description: 'Print the stored values of a signal of a machine, its gateway running or not' },
  args: {
    machine: { type: 'positional', required: true, description: 'Unit number, or the id of its record' },
    signal: { type: 'positional', required: true, description: 'Name of the signal, such as engine.speed' },
    from: { type: 'string', description: 'Start, such as 2026-11-21T06:00:00Z (24 hours before --to when absent)' },
    to: { type: 'string', description: 'End, not included (now when absent)' },
    resolution: { type: 'string', description: 'raw, auto or the seconds of a step (auto when absent)' },
    as: { type: 'string', description: 'csv or json (csv when absent)' },
    ...data,
  },
  async run({ args }) {
    const { runHistory } = await import('./history.ts');
    await runHistory(readConfig(flags(args)), args);
  },
});

const root = defineCommand({
  meta: { description: 'Site gateway for equipment-heavy sites' },
  subCommands: {
    start,
    demo,
    keys,
    'claim-code': claimCode,
    inspect,
    convert,
    replay,
    simulate,
    bridge,
    mcp,
    verify,
    backup,
    restore,
    history,
    quarantine,
    'purge-device': purgeDevice,
  },
});

process.exitCode = await runCommandLine(root, process.argv.slice(2), { first: 'start', version: VERSION });
