/** The `headframe` program: descriptions and flags of all its commands. A command imports its implementation only when it runs. */
import { type ArgsDef, defineCommand } from 'citty';
import { readBridgeConfig, readConfig } from '#settings/config.ts';
import { BRIDGE_SETTINGS } from '#settings/settings.ts';
import { VERSION } from '#settings/version.ts';
import { careCommands } from './cli-care.ts';
import { data, flags, json, runCommandLine, serving, settings } from './command-line.ts';
import { createConsole } from './console.ts';

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
  args: { ...serving, fresh: { type: 'boolean', description: 'Delete the earlier demo and start a new one' } },
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
      meta: { description: 'Create an API key for people or programs; it is shown once' },
      args: {
        name: { type: 'string', description: 'What the key is for' },
        role: {
          type: 'string',
          description: 'owner, admin, supervisor, mechanic, operator, viewer or agent (admin when absent)',
        },
        project: {
          type: 'string',
          description: 'Ids of the projects that the key may use, separated by commas (all projects when absent)',
        },
        days: { type: 'string', description: 'Days until it expires (never when absent)' },
        ...json,
        ...data,
      },
      async run({ args }) {
        const { createKey } = await import('./keys.ts');
        // The role of the key is not the role of the node, which is a setting of the same name.
        await createKey(readConfig({ ...flags(args), role: undefined }), args);
      },
    }),
    list: defineCommand({
      meta: { description: 'List API keys, without their secrets' },
      args: { ...json, ...data },
      async run({ args }) {
        const { listKeys } = await import('./keys.ts');
        await listKeys(readConfig(flags(args)), args);
      },
    }),
    revoke: defineCommand({
      meta: { description: 'Revoke an API key at once' },
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
  meta: { description: 'Print a code that makes an owner, or lets an owner choose a new passphrase' },
  args: { ...json, ...data },
  async run({ args }) {
    const { claimCode } = await import('./keys.ts');
    await claimCode(readConfig(flags(args)), args);
  },
});

const password = {
  password: {
    type: 'string',
    description: 'Password of an encrypted log (.MFE, .MFM), from the configuration of the logger',
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
      'Report what a log (MF4, ASC, TRC, candump) contains: machine, trouble codes, signals, control units, buses, and parts that could not be read',
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
  meta: { description: 'Convert a log (MF4, ASC, TRC, candump) to another format' },
  args: {
    file: { type: 'positional', required: true, description: 'Log file, - for standard input' },
    to: {
      type: 'string',
      description:
        'csv (decoded values, a row each second), csv-frames (raw bytes), candump, console, asc, mf4 or slcan; when absent, the ending of --out decides',
    },
    out: { type: 'string', alias: 'o', description: 'File to write; standard output when absent' },
    force: { type: 'boolean', description: 'Replace an existing file' },
    bus: { type: 'string', description: 'Only these buses, such as 0 or 1,2' },
    id: { type: 'string', description: 'Only these identifiers, hexadecimal, such as 18FEEE00 or 123,7E8' },
    pgn: { type: 'string', description: 'Only these parameter groups, such as 65262, 0xFEEE or ET1' },
    from: {
      type: 'string',
      description: 'Only frames from this time on, such as 2026-06-01T06:30:00Z, or 90s for 90 s after the first frame',
    },
    until: { type: 'string', description: 'Only frames up to this time' },
    signal: {
      type: 'string',
      description: 'csv: only these values, such as engine.speed, SPN 190 or "oil pressure"; several with commas',
    },
    every: {
      type: 'string',
      description: 'For csv: time between two rows, such as 100ms or 5m (1s when absent), or all',
    },
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
    device: {
      type: 'string',
      required: true,
      description: 'device_id of the sender; the command creates the device if it does not exist',
    },
    speed: {
      type: 'string',
      description: 'Speed as a multiple of real time; 0 is as fast as the gateway acknowledges (1 when absent)',
    },
    now: { type: 'boolean', description: 'Send frames with the present time instead of the recorded time' },
    ...password,
    ...timezone,
    project: { type: 'string', description: 'Project of a new device (required if there are several projects)' },
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
      'Simulate a site from a seed (haul cycles, crews, breakdowns, wrong clocks, failing links), and send it to the running gateway or write it as a log',
  },
  args: {
    seed: { type: 'string', description: 'Whole number; the same seed gives the same site (1 when absent)' },
    speed: {
      type: 'string',
      description:
        'Speed as a multiple of real time; 0 is as fast as the gateway acknowledges (1 when absent, 0 with --out)',
    },
    machines: { type: 'string', description: 'How many machines, 1 to 200 (6 when absent)' },
    for: { type: 'string', description: 'Simulated time, such as 90s, 30m, 8h, 2d (1h when absent)' },
    start: {
      type: 'string',
      description:
        'Start of the simulated time (when absent, the simulated time ends now; with --out it starts at 2026-06-01T06:30:00Z)',
    },
    out: {
      type: 'string',
      alias: 'o',
      description:
        'File to which the frames are written as a log, or - for standard output; machine k is bus k. Without this flag, devices sim-* send the frames over MQTT',
    },
    to: {
      type: 'string',
      description:
        'Format of the log: candump, console, asc, csv-frames, mf4 or slcan; when absent, the ending of --out decides, else candump',
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
      'MCP tools over standard input and output, for clients that start their servers themselves; uses the key in HEADFRAME_API_KEY, else the token of the gateway on this machine',
  },
  args: {
    url: {
      type: 'string',
      description: 'Address of a gateway on another machine (when absent, the gateway of the data folder)',
    },
    project: { type: 'string', description: 'Project for tool calls that name no project' },
    profile: { type: 'string', description: 'List of tools: default, fleet, repairs, shift, setup, devices or all' },
    content: { type: 'string', description: '`text` for clients that show their model no structured content' },
    ...data,
  },
  async run({ args }) {
    const { runMcp } = await import('./mcp.ts');
    return runMcp(readConfig(flags(args)), args);
  },
});

const device = {
  device: { type: 'positional', required: true, description: 'device_id, or the id of its record' },
} as const satisfies ArgsDef;

const quarantine = defineCommand({
  meta: {
    description:
      'Put a device in quarantine, so that the gateway accepts nothing from it; works whether the gateway runs or not',
  },
  args: {
    ...device,
    release: { type: 'boolean', description: 'End the quarantine' },
    ...json,
    ...data,
  },
  async run({ args }) {
    const { runQuarantine } = await import('./quarantine.ts');
    await runQuarantine(readConfig(flags(args)), args);
  },
});

const purgeDevice = defineCommand({
  meta: { description: 'Delete the data of a device; works whether the gateway runs or not, and on a full disk' },
  args: {
    ...device,
    history: { type: 'boolean', description: 'Also delete the history of its machine since the device was linked' },
    ...json,
    ...data,
  },
  async run({ args }) {
    const { runPurge } = await import('./quarantine.ts');
    await runPurge(readConfig(flags(args)), args);
  },
});

const history = defineCommand({
  meta: { description: 'Print the stored values of a signal of a machine; works whether the gateway runs or not' },
  args: {
    machine: { type: 'positional', required: true, description: 'Unit number, or the id of its record' },
    signal: { type: 'positional', required: true, description: 'Name of the signal, such as engine.speed' },
    from: { type: 'string', description: 'Start, such as 2026-11-21T06:00:00Z (24 hours before --to when absent)' },
    to: { type: 'string', description: 'End, not included (now when absent)' },
    resolution: { type: 'string', description: 'raw, auto or the seconds of a step (auto when absent)' },
    as: { type: 'string', description: 'csv, json or arrow (csv when absent)' },
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
    ...careCommands,
    history,
    quarantine,
    'purge-device': purgeDevice,
  },
});

process.exitCode = await runCommandLine(root, process.argv.slice(2), { first: 'start', version: VERSION });
