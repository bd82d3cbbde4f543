/** Builds the program of the desktop app: the main process, the preload script and the shell page. Electron cannot run TypeScript. */
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const source = join(import.meta.dirname, '..');
const root = join(source, '..');

/** The folder of the app in a checkout. `electron/main.ts` finds the gateway three folders above it. */
export const APP = join(root, 'dist', 'desktop', 'app');

/** Builds the app into a folder. */
export async function buildApp(folder: string = APP): Promise<void> {
  const { build } = await import('vite');
  await rm(folder, { recursive: true, force: true });
  const common = { root: source, configFile: false, logLevel: 'warn' } as const;
  const node = { ...common, ssr: { noExternal: true as const, external: ['electron'] } };
  const output = { outDir: folder, emptyOutDir: false, minify: false, target: 'node24' } as const;
  await build({
    ...node,
    build: { ...output, ssr: join(source, 'main.ts'), rolldownOptions: { output: { entryFileNames: 'main.js' } } },
  });
  // A sandboxed preload script must be CommonJS.
  await build({
    ...node,
    build: {
      ...output,
      ssr: join(source, 'pages', 'preload.ts'),
      rolldownOptions: { output: { format: 'cjs', entryFileNames: 'preload.cjs' } },
    },
  });
  const pages = join(folder, 'pages');
  await build({
    ...common,
    build: {
      outDir: pages,
      emptyOutDir: false,
      minify: false,
      modulePreload: false,
      rolldownOptions: {
        input: join(source, 'pages', 'shell.ts'),
        output: { format: 'es', entryFileNames: 'shell.js' },
      },
    },
  });
  for (const name of ['shell.html', 'shell.css']) await copyFile(join(source, 'pages', name), join(pages, name));
  await mkdir(join(folder, 'icons'));
  for (const name of ['icon.png', 'tray.png']) await copyFile(join(source, 'icons', name), join(folder, 'icons', name));
  const { version, description, license } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const manifest = {
    name: 'headframe',
    productName: 'Headframe',
    desktopName: 'headframe.desktop',
    version,
    description,
    license,
    // The package formats need an address. Replace both when the project has one.
    homepage: 'https://headframe.invalid/',
    author: { name: 'Headframe', email: 'desktop@headframe.invalid' },
    type: 'module',
    main: 'main.js',
  };
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

if (import.meta.main) await buildApp();
