/**
 * Builds the three pages and the pages for old TVs into ui/dist. The build id is a hash of the content of all sources. File times are not used, because a new clone of
 * the repository changes them.
 */
import { createHash } from 'node:crypto';
import { promises } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const { copyFile, readdir, readFile, writeFile } = promises;
const uiRoot = fileURLToPath(new URL('.', import.meta.url));
const projectRoot = fileURLToPath(new URL('..', import.meta.url));
const dist = join(uiRoot, 'dist');
const STAMP = 'build.json';
/** The file of the module that makes the pages for old TVs. */
const LITE_MODULE = 'pages.mjs';

/**
 * The language of the scripts of the TV page. It is this old because a TV never updates the browser with which it was sold; the oldest one
 * is Chromium 87. With `chrome87` as the target, the compiler would replace each `?.` by longer code, because Chromium before 91 makes an
 * error in a call such as `a?.b(...c, d)`. No script of the TV page has such a call, and a test checks this.
 */
const TV_TARGET = ['es2020'];
const OFFICE_TARGET = ['es2022'];

/** Returns the source files under a folder in a stable order, without the output of the build. */
async function sources(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.startsWith(dist) && /\.(tsx?|css|html|svg|json)$/.test(path))
    .sort();
}

/** Returns the build id of the sources on disk. */
async function sourceId(): Promise<string> {
  const hash = createHash('sha256');
  const files = [...(await sources(uiRoot)), ...(await sources(join(projectRoot, 'gateway', 'contract')))];
  for (const path of [...files, join(projectRoot, 'package-lock.json')]) {
    hash.update(path.slice(projectRoot.length).replaceAll('\\', '/')).update('\0');
    hash.update(await readFile(path)).update('\0');
  }
  return hash.digest('hex').slice(0, 12);
}

interface Stamp {
  readonly build: string;
  /** True in the desktop app, which brings the built pages and none of their sources. */
  readonly packed?: boolean;
}

async function readStamp(folder: string): Promise<Stamp | null> {
  try {
    const read: unknown = JSON.parse(await readFile(join(folder, STAMP), 'utf8'));
    const valid = typeof read === 'object' && read !== null && 'build' in read && typeof read.build === 'string';
    return valid ? (read as Stamp) : null;
  } catch {
    return null;
  }
}

/** Returns the build id of the pages in a folder (ui/dist by default); null when the folder has no complete build. */
export async function uiBuildId(folder: string = dist): Promise<string | null> {
  return (await readStamp(folder))?.build ?? null;
}

/** Returns true when ui/dist was not built from the sources on disk. */
export async function uiIsStale(): Promise<boolean> {
  const stamp = await readStamp(dist);
  return stamp?.packed !== true && stamp?.build !== (await sourceId());
}

/** Marks the pages in a folder as built for a folder without their sources. */
export async function markPacked(folder: string): Promise<void> {
  const stamp = await readStamp(folder);
  if (stamp === null) throw new Error(`${folder} has no built pages`);
  await writeFile(join(folder, STAMP), `${JSON.stringify({ ...stamp, packed: true })}\n`);
}

/**
 * Replaces the function with which Vite imports a chunk. That function first loads the style sheets of the chunk, which delays the first
 * frame. The chunks of these pages have no style sheets, so a plain import is enough.
 */
const PLAIN_IMPORTS = {
  name: 'plain-imports',
  enforce: 'pre' as const,
  load: (id: string) =>
    id === '\0vite/preload-helper.js' ? 'export const __vitePreload = (load) => load();' : undefined,
};

/**
 * Replaces the table of operations by what pages need of it. The schemas of the operations then have no user, so the build leaves out the
 * schemas and the library that checks them. They were more than a third of the script of the office page.
 */
const SLIM_OPERATIONS = {
  name: 'slim-operations',
  enforce: 'pre' as const,
  async load(id: string): Promise<string | undefined> {
    if (!id.replaceAll('\\', '/').endsWith('/gateway/contract/operations.ts')) return undefined;
    const { operations } = await import('#contract/operations.ts');
    const rows = Object.entries(operations).map(([name, { method, path, scope, roles, hints, ...row }]) => {
      const fields = 'fields' in row ? row.fields : undefined;
      return [name, { method, path, scope, roles, fields, hints: { readOnly: hints.readOnly } }] as const;
    });
    return `export const operations = ${JSON.stringify(Object.fromEntries(rows))};`;
  },
};

/** The name that `z` of the schema library gets in the files of the contract. No other code has this name, unlike the short `z`. */
const SCHEMAS = 'contractSchema';

/** Gives the schema library a name of its own in the files of the contract, so that `TREESHAKE` can name its functions. */
const NAMED_SCHEMAS = {
  name: 'named-schemas',
  enforce: 'pre' as const,
  transform(code: string, id: string): string | undefined {
    if (!/[\\/]gateway[\\/]contract[\\/]/.test(id) || !code.includes("import { z } from 'zod'")) return undefined;
    return code
      .replace("import { z } from 'zod'", `import { z as ${SCHEMAS} } from 'zod'`)
      .replaceAll(/(^|[^\w$.'"`]|\.\.\.)z(?=\s*\.\s*\w)/gm, `$1${SCHEMAS}`);
  },
};

/** Tells the bundler that schemas and their declarations do nothing when they are loaded, so that it leaves out the unused ones. */
const TREESHAKE = {
  manualPureFunctions: [SCHEMAS],
  moduleSideEffects: [{ test: /[\\/]gateway[\\/]contract[\\/]|[\\/]node_modules[\\/]zod[\\/]/, sideEffects: false }],
};

/** Adds to the TV page the script that opens the pages for old TVs. Vite does not bundle it, because it must stay as it is. */
const OLD_BROWSERS = {
  name: 'old-browsers',
  transformIndexHtml: {
    order: 'post' as const,
    handler: (html: string, { path }: { path: string }) =>
      path === '/tv.html' ? html.replace('</title>', '</title>\n    <script async src="/lite/old.js"></script>') : html,
  },
};

/**
 * Settings of Terser. No code of the pages replaces a built-in function, and no getter does more than to return a value, so Terser may
 * use both.
 */
const TERSER = { module: true, ecma: 2020, compress: { passes: 3, unsafe: true, pure_getters: true } } as const;

/** Runs Terser twice on the scripts of the TV page, after the minifier of the bundler. That makes them about 1 % smaller. */
const SMALLER = {
  name: 'smaller',
  async generateBundle(_options: unknown, bundle: Record<string, { type: string; code?: string }>) {
    const { minify } = await import('terser');
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== 'chunk' || chunk.code === undefined) continue;
      for (let i = 0; i < 2; i += 1) chunk.code = (await minify(chunk.code, TERSER)).code ?? chunk.code;
    }
  },
};

/** Code that the first script and the scripts of tiles share. One file of it is smaller than a file for each of its parts. */
const BASE =
  /[\\/]ui[\\/](after-paint|format|words|languages[\\/]texts|text[\\/][\w-]+|tiles[\\/](ageing|grid|machine-drawing|marks|wall-layout))\.tsx?$|[\\/]node_modules[\\/]preact[\\/]/;
/** On the office page also the helper of lazy scripts, which is too small to be a file. */
const OFFICE_BASE = new RegExp(`${BASE.source}|vite[\\\\/]preload-helper`);

/** The texts of a language, which the office loads as one file. */
const LANGUAGES = ['de', 'es', 'fr', 'pt'].map((tag) => ({
  name: `language-${tag}`,
  test: new RegExp(`[\\\\/]ui[\\\\/]languages[\\\\/]((wall|day)-${tag}\\.|${tag}[\\\\/])`),
}));

/** Writes a gzip copy of each script and style. */
async function compress(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!/\.(js|css)$/.test(name)) continue;
    await writeFile(join(folder, `${name}.gz`), gzipSync(await readFile(join(folder, name)), { level: 9 }));
  }
}

/**
 * Builds the pages for old TVs: a module with which the gateway makes their HTML, their style and their scripts. These files have fixed
 * names, because an old TV asks for them again with each start.
 */
async function buildLite(build: typeof import('vite').build): Promise<void> {
  const folder = join(dist, 'lite');
  await build({
    root: uiRoot,
    configFile: false,
    plugins: [NAMED_SCHEMAS],
    logLevel: 'warn',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    ssr: { noExternal: true },
    build: {
      ssr: true,
      outDir: folder,
      emptyOutDir: true,
      target: 'node24',
      rolldownOptions: {
        input: join(uiRoot, 'lite', 'pages.tsx'),
        treeshake: TREESHAKE,
        output: { entryFileNames: LITE_MODULE },
      },
    },
  });
  const { OLD, REFRESH } = await import('./lite-scripts.ts');
  await copyFile(join(uiRoot, 'lite', 'lite.css'), join(folder, 'lite.css'));
  await writeFile(join(folder, 'refresh.js'), REFRESH);
  await writeFile(join(folder, 'old.js'), OLD);
}

/** Builds all pages and returns the build id, which screens send in their heartbeats. */
export async function buildUi(): Promise<string> {
  const { build } = await import('vite');
  const id = await sourceId();
  const pages = [
    { page: 'tv.html', target: TV_TARGET, empty: true },
    { page: 'index.html', target: OFFICE_TARGET, empty: false },
    { page: 'report.html', target: TV_TARGET, empty: false },
  ];
  // Build each page separately, because the TV page is built for older browsers. So the pages share no code chunk.
  for (const { page, target, empty } of pages) {
    await build({
      root: uiRoot,
      configFile: false,
      plugins: [PLAIN_IMPORTS, SLIM_OPERATIONS, NAMED_SCHEMAS, OLD_BROWSERS, ...(page === 'tv.html' ? [SMALLER] : [])],
      logLevel: 'warn',
      define: { __BUILD__: JSON.stringify(id) },
      oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
      build: {
        outDir: dist,
        emptyOutDir: empty,
        target,
        cssTarget: 'chrome87',
        modulePreload: { polyfill: false },
        // Do not inline fonts and images: the content security policy of the pages does not allow `data:` URLs.
        assetsInlineLimit: 0,
        chunkSizeWarningLimit: 400,
        rolldownOptions: {
          // Most of the time of the build goes into the second minifier, which is a plugin.
          checks: { pluginTimings: false },
          input: join(uiRoot, page),
          treeshake: TREESHAKE,
          output: {
            chunkFileNames: `assets/${page.split('.')[0]}-[name]-[hash].js`,
            codeSplitting: {
              groups: [
                { name: 'base', test: page === 'index.html' ? OFFICE_BASE : BASE, priority: 1 },
                ...(page === 'index.html' ? LANGUAGES : []),
              ],
            },
          },
        },
      },
    });
  }
  await buildLite(build);
  await compress(join(dist, 'assets'));
  await writeFile(join(dist, STAMP), `${JSON.stringify({ build: id })}\n`);
  return id;
}

if (import.meta.main) {
  const id = await buildUi();
  process.stdout.write(`ui/dist built, id ${id}\n`);
}
