/** Builds the two pages into ui/dist. The build id is a hash of every source, so a fresh clone and an edit are told apart without file times. */
import { createHash } from 'node:crypto';
import { promises } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const { readdir, readFile, writeFile } = promises;
const uiRoot = fileURLToPath(new URL('.', import.meta.url));
const projectRoot = fileURLToPath(new URL('..', import.meta.url));
const dist = join(uiRoot, 'dist');
const STAMP = 'build.json';

/** A wall TV runs the Chromium it was sold with; 87 is the oldest that is supported. */
const TV_TARGET = ['es2020', 'chrome87'];
const OFFICE_TARGET = ['es2022'];

/** Text files under a folder in a stable order, without what the build itself wrote. */
async function sources(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.startsWith(dist) && /\.(tsx?|css|html|svg|json)$/.test(path))
    .sort();
}

/** The id that the sources on disk would build to. */
async function sourceId(): Promise<string> {
  const hash = createHash('sha256');
  const files = [...(await sources(uiRoot)), ...(await sources(join(projectRoot, 'gateway', 'contract')))];
  for (const path of [...files, join(projectRoot, 'package-lock.json')]) {
    hash.update(path.slice(projectRoot.length).replaceAll('\\', '/')).update('\0');
    hash.update(await readFile(path)).update('\0');
  }
  return hash.digest('hex').slice(0, 12);
}

/** The id of the pages in a folder, ui/dist when absent; null when nothing usable was built there. */
export async function uiBuildId(folder: string = dist): Promise<string | null> {
  try {
    const read: unknown = JSON.parse(await readFile(join(folder, STAMP), 'utf8'));
    return typeof read === 'object' && read !== null && 'build' in read && typeof read.build === 'string'
      ? read.build
      : null;
  } catch {
    return null;
  }
}

/** True when ui/dist was not built from the sources on disk. */
export async function uiIsStale(): Promise<boolean> {
  return (await uiBuildId()) !== (await sourceId());
}

/** Vite's own helper loads the styles of late chunks; ours have none, and every screen would carry it before its first picture. */
const PLAIN_IMPORTS = {
  name: 'plain-imports',
  enforce: 'pre' as const,
  load: (id: string) =>
    id === '\0vite/preload-helper.js' ? 'export const __vitePreload = (load) => load();' : undefined,
};

/** Writes each script and style a second time, compressed, for clients that take gzip. */
async function compress(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!/\.(js|css)$/.test(name)) continue;
    await writeFile(join(folder, `${name}.gz`), gzipSync(await readFile(join(folder, name)), { level: 9 }));
  }
}

/** Builds both pages; answers the build id that heartbeats are compared with. */
export async function buildUi(): Promise<string> {
  const { build } = await import('vite');
  const id = await sourceId();
  const pages = [
    { page: 'tv.html', target: TV_TARGET, empty: true },
    { page: 'index.html', target: OFFICE_TARGET, empty: false },
  ];
  // One build per page: the TV gets one chunk of its own and its own target.
  for (const { page, target, empty } of pages) {
    await build({
      root: uiRoot,
      configFile: false,
      plugins: [PLAIN_IMPORTS],
      logLevel: 'warn',
      define: { __BUILD__: JSON.stringify(id) },
      oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
      build: {
        outDir: dist,
        emptyOutDir: empty,
        target,
        cssTarget: 'chrome87',
        modulePreload: { polyfill: false },
        // An inlined font or image would need `data:` in the content policy.
        assetsInlineLimit: 0,
        rolldownOptions: {
          input: join(uiRoot, page),
          output: { chunkFileNames: `assets/${page.split('.')[0]}-[name]-[hash].js` },
        },
      },
    });
  }
  await compress(join(dist, 'assets'));
  await writeFile(join(dist, STAMP), `${JSON.stringify({ build: id })}\n`);
  return id;
}

if (import.meta.main) {
  const id = await buildUi();
  process.stdout.write(`ui/dist built, id ${id}\n`);
}
