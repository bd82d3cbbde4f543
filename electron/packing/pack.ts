/**
 * `npm run desktop:pack`: builds the installers of the desktop app.
 *
 *   npm run desktop:pack -- [--target linux-x64] [--electron FOLDER] [--formats deb,AppImage]
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Arch, build, Platform } from 'electron-builder';
import { APP, buildApp } from './build.ts';
import { builderConfig } from './builder.ts';
import { stageGateway, TARGETS, type Target } from './stage.ts';

const FORMATS: Readonly<Record<Target, readonly string[]>> = {
  'linux-x64': ['deb', 'AppImage'],
  'linux-arm64': ['deb', 'AppImage'],
  'win32-x64': ['nsis'],
};

export interface Packing {
  readonly target: Target;
  readonly formats?: readonly string[];
  readonly output: string;
  /** A folder with an unpacked Electron. Without it electron-builder downloads one. */
  readonly electronDist?: string;
  /** Folders for the built app and for the copy of the gateway. */
  readonly app: string;
  readonly gateway: string;
}

/** Makes the installers from the built app and the copy of the gateway; returns their paths. */
export async function makeInstallers(packing: Packing): Promise<string[]> {
  const { target, formats = FORMATS[target] } = packing;
  const platform = target === 'win32-x64' ? Platform.WINDOWS : Platform.LINUX;
  return build({
    targets: platform.createTarget([...formats], target === 'linux-arm64' ? Arch.arm64 : Arch.x64),
    config: builderConfig(packing),
  });
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      target: { type: 'string', default: `${process.platform}-${process.arch}` },
      electron: { type: 'string' },
      formats: { type: 'string' },
    },
  });
  const target = Object.keys(TARGETS).find((one): one is Target => one === values.target);
  if (target === undefined) {
    process.stderr.write(`--target must be one of ${Object.keys(TARGETS).join(', ')}.\n`);
    process.exit(2);
  }
  const output = join(APP, '..');
  const gateway = join(output, `gateway-${target}`);
  await buildApp();
  await stageGateway(gateway, target);
  const made = await makeInstallers({
    target,
    app: APP,
    gateway,
    output: join(output, `out-${target}`),
    ...(values.formats === undefined ? {} : { formats: values.formats.split(',') }),
    ...(values.electron === undefined ? {} : { electronDist: values.electron }),
  });
  process.stdout.write(`${made.join('\n')}\n`);
}
