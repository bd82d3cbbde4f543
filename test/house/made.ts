/** What is made from the table of rooms: the walls of the linter, the import names, the table of the architecture page. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Room } from '../../rooms.ts';

const BEGIN = '<!-- rooms: made by npm run rooms -->';
const END = '<!-- end of rooms -->';

/** What the linter lets pass, in the form of .gitignore. */
function patternsOf(may: readonly string[]): string[] {
  return may.flatMap((one) => {
    if (one === 'node:') return ['!node:*', '!node:*/**'];
    if (one.endsWith('/*')) return [`!${one}*`];
    if (one.endsWith('.ts')) return [`!${one}`];
    return one.startsWith('#') ? [`!${one}/*`] : [`!${one}`, `!${one}/**`];
  });
}

/** The linter's wall of a room: everything is refused that is not let pass. */
function wallOf({ path, name, may, below }: Room) {
  const group = may.includes('*') ? ['../**', '!../**/rooms.ts'] : ['**', '!./*', ...patternsOf(may)];
  const message = may.includes('*')
    ? 'between rooms import by #name, inside a room by ./near.ts'
    : `${name} imports ${['itself', ...may].join(', ')} (rooms.ts)`;
  const options = { patterns: [{ group, message }] };
  return {
    includes: [below === true ? `${path}/**` : `${path}/*`],
    linter: { rules: { style: { noRestrictedImports: { level: 'error', options } } } },
  };
}

function tableOf(rooms: readonly Room[]): string {
  const code = (one: string) => `\`${one}\``;
  const rows = rooms.map(({ path, name, says, may }) => {
    const imports = may.includes('*') ? 'anything' : may.map(code).join(' ');
    return `| ${code(`${path}/`)} | ${code(name)} | ${says} | ${imports} |`;
  });
  return ['| folder | name | content | may import |', '|---|---|---|---|', ...rows].join('\n');
}

/** Files as they must be. */
export function made(root: string, rooms: readonly Room[]): { path: string; text: string }[] {
  const read = (path: string) => readFileSync(join(root, path), 'utf8');
  const biome = JSON.parse(read('biome.json'));
  const manifest = JSON.parse(read('package.json'));
  // A room within a room needs no name of its own: the star stands for a path.
  const outer = rooms.filter(({ name }) => !rooms.some((other) => name.startsWith(`${other.name}/`)));
  manifest.imports = Object.fromEntries(
    outer.map(({ name, path }) => [`${name.split('/')[0]}/*`, `./${folderFor(name, path)}/*`]),
  );
  const page = read('docs/architecture.md');
  const [before = '', rest = ''] = page.split(BEGIN);
  const after = rest.split(END)[1] ?? '';
  return [
    { path: 'biome.json', text: formatted({ ...biome, overrides: rooms.map(wallOf) }) },
    { path: 'package.json', text: formatted(manifest) },
    { path: 'docs/architecture.md', text: `${before}${BEGIN}\n${tableOf(rooms)}\n${END}${after}` },
  ];
}

/** The folder of the first part of a name: `#domain/j1939` at `gateway/domain/j1939` is `gateway/domain`. */
function folderFor(name: string, path: string): string {
  const deeper = name.split('/').length - 1;
  return path
    .split('/')
    .slice(0, path.split('/').length - deeper)
    .join('/');
}

/** True when a file has the expected content; JSON files are compared without their layout. */
export function isSame(path: string, is: string, must: string): boolean {
  return path.endsWith('.json') ? JSON.stringify(JSON.parse(is)) === JSON.stringify(JSON.parse(must)) : is === must;
}

const formatted = (value: object) => `${JSON.stringify(value, null, 2)}\n`;
