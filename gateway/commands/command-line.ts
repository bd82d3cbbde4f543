/**
 * Runs the command line: finds the command, rejects wrong arguments, prints help, and turns errors into a message and an exit code. It also has
 * the flags that several commands share.
 */
import { parseArgs } from 'node:util';
import { type ArgsDef, type CommandDef, renderUsage, runCommand } from 'citty';
import { EXIT } from '#process/supervisor.ts';
import { ConfigError, type Flags } from '#settings/config.ts';
import { SERVING, SETTINGS } from '#settings/settings.ts';
import { plain } from './console.ts';

/** Thrown to stop a command: the message is printed for the user, and `exit` is the exit code of the process. */
export class CommandError extends Error {
  readonly exit: number;
  constructor(message: string, exit: number = EXIT.fault, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CommandError';
    this.exit = exit;
  }
}

/** The command that the arguments name, its path in the command tree, and its own arguments. */
interface Found {
  readonly command: CommandDef<ArgsDef>;
  readonly path: readonly string[];
  readonly rest: readonly string[];
}

/** Runs the command that `argv` names and resolves to the exit code. `first` is the command that runs when `argv` names none. */
export async function runCommandLine(
  root: CommandDef<ArgsDef>,
  argv: readonly string[],
  { first, version }: { first: string; version: string },
): Promise<number> {
  try {
    if (argv[0] === '--version' || argv[0] === '-v') {
      process.stdout.write(`${version}\n`);
      return EXIT.ok;
    }
    const help = argv.includes('--help') || argv.includes('-h');
    const bare = (argv[0] === undefined || argv[0].startsWith('-')) && !help;
    const found = await find(root, bare ? [first, ...argv] : argv);
    if (help) {
      process.stdout.write(`${plain(await usage(found, version))}\n`);
      return EXIT.ok;
    }
    if (found.command.run === undefined) throw new CommandError(`${plain(await usage(found, version))}\n`, EXIT.usage);
    await check(found);
    const { result } = await runCommand(found.command, { rawArgs: [...found.rest] });
    return typeof result === 'number' ? result : EXIT.ok;
  } catch (error) {
    if (error instanceof ConfigError || error instanceof CommandError) {
      process.stderr.write(`${error.message}\n`);
      return error instanceof ConfigError ? EXIT.usage : error.exit;
    }
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    return EXIT.fault;
  }
}

async function find(root: CommandDef<ArgsDef>, argv: readonly string[]): Promise<Found> {
  let found: Found = { command: root, path: ['headframe'], rest: argv };
  for (;;) {
    const below = (await resolved(found.command.subCommands)) ?? {};
    const name = found.rest[0];
    if (Object.keys(below).length === 0 || name === undefined || name.startsWith('-')) return found;
    const command = Object.hasOwn(below, name) ? await resolved(below[name]) : undefined;
    if (command === undefined)
      throw new CommandError(
        `${[...found.path, name].join(' ')} is not a command; there are ${Object.keys(below).join(', ')}.`,
        EXIT.usage,
      );
    found = { command, path: [...found.path, name], rest: found.rest.slice(1) };
  }
}

/** Rejects unknown flags, flags without their value, and missing or surplus words. */
async function check({ command, path, rest }: Found): Promise<void> {
  const args = (await resolved(command.args)) ?? {};
  const named = Object.entries(args).filter(([, arg]) => arg.type !== 'positional');
  const words = Object.entries(args).filter(([, arg]) => arg.type === 'positional');
  const options = Object.fromEntries(
    named.map(([name, arg]) => {
      const type = arg.type === 'boolean' ? ('boolean' as const) : ('string' as const);
      const aliases = 'alias' in arg ? [arg.alias].flat() : [];
      const short = aliases.find((alias) => alias?.length === 1);
      return [name, short === undefined ? { type } : { type, short }];
    }),
  );
  const refuse = (why: string) => {
    throw new CommandError(`${why} \`${path.join(' ')} --help\` shows the arguments of the command.`, EXIT.usage);
  };
  const { tokens, positionals } = parseArgs({ args: [...rest], options, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const option = options[token.name];
    if (option === undefined) {
      const known = Object.keys(options).map((name) => `--${name}`);
      refuse(`${token.rawName} is not a flag of \`${path.join(' ')}\`; there are ${known.join(', ')}.`);
    } else if (option.type === 'string' && (token.value === undefined || token.value === '')) {
      refuse(`${token.rawName} needs a value.`);
    } else if (option.type === 'boolean' && token.value !== undefined) {
      refuse(`${token.rawName} takes no value.`);
    }
  }
  if (positionals.length > words.length) refuse(`\`${positionals[words.length]}\` is one argument too many.`);
  const missing = words.slice(positionals.length).find(([, arg]) => arg.required !== false);
  if (missing !== undefined) refuse(`${missing[0].toUpperCase()} is missing.`);
  const absent = named.find(
    ([name, arg]) => arg.required === true && !tokens.some((t) => t.kind === 'option' && t.name === name),
  );
  if (absent !== undefined) refuse(`--${absent[0]} is missing.`);
}

async function usage({ command, path }: Found, version: string): Promise<string> {
  const meta = await resolved(command.meta);
  return renderUsage({ ...command, meta: { ...meta, name: path.join(' '), version } });
}

/** Returns the value of a property of a citty command, which may be a promise or a function. */
async function resolved<T>(value: T | Promise<T> | (() => T) | (() => Promise<T>)): Promise<T> {
  return typeof value === 'function' ? await (value as () => T | Promise<T>)() : value;
}

/** Returns the flags of a command for the named settings, with their descriptions from `SETTINGS`. */
export function settings(...names: readonly (keyof typeof SETTINGS)[]): ArgsDef {
  return Object.fromEntries(
    names.flatMap((name) => {
      const row = SETTINGS[name];
      if (!('flag' in row)) return [];
      const description = `${row.description} (${row.env}; ${row.fallback} when absent)`;
      return [[row.flag, { type: 'string' as const, description }]];
    }),
  );
}

/** The flags of commands that run a gateway. */
export const serving = settings(...SERVING);
/** The flag that names the data folder. */
export const data = settings('data');
/** The flag for JSON output. */
export const json = { json: { type: 'boolean', description: 'Print JSON' } } as const satisfies ArgsDef;

/** Returns the values of the flags in the form that `readConfig` expects. */
export function flags(args: Record<string, unknown>): Flags {
  return Object.fromEntries(
    Object.values(SETTINGS).flatMap((row) => {
      const value = 'flag' in row ? args[row.flag] : undefined;
      return 'flag' in row && typeof value === 'string' ? [[row.flag, value]] : [];
    }),
  );
}
