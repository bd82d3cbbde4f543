/** The configuration of electron-builder. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Configuration } from 'electron-builder';

const here = import.meta.dirname;
const root = join(here, '..', '..');

/** Returns the configuration. `electronDist` is a folder with an unpacked Electron; without it electron-builder downloads one. */
export function builderConfig(folders: {
  readonly app: string;
  readonly gateway: string;
  readonly output: string;
  readonly electronDist?: string;
}): Configuration {
  const { version } = JSON.parse(readFileSync(join(root, 'node_modules', 'electron', 'package.json'), 'utf8'));
  return {
    appId: 'invalid.headframe.desktop',
    productName: 'Headframe',
    directories: { app: folders.app, output: folders.output, buildResources: join(here, '..', 'icons') },
    electronVersion: version,
    ...(folders.electronDist === undefined ? {} : { electronDist: folders.electronDist }),
    // The app is one file and needs no packages: those of the gateway are beside it, and their native module for serial ports is for the
    // Node.js of the gateway. Without this answer electron-builder packs the packages of the checkout and rebuilds them for Electron.
    beforeBuild: async () => false,
    asar: true,
    files: ['**/*'],
    // The gateway is outside the archive: another program than Electron reads it.
    // electron-builder leaves out the folder node_modules of a resource, unless the resource is that folder.
    extraResources: ['.', 'node_modules'].map((part) => ({
      from: join(folders.gateway, part),
      to: join('gateway', part),
      filter: ['**/*'],
    })),
    publish: null,
    electronFuses: {
      runAsNode: false,
      enableCookieEncryption: true,
      enableNodeOptionsEnvironmentVariable: false,
      enableNodeCliInspectArguments: false,
      enableEmbeddedAsarIntegrityValidation: true,
      onlyLoadAppFromAsar: true,
      loadBrowserProcessSpecificV8Snapshot: false,
      grantFileProtocolExtraPrivileges: false,
    },
    linux: {
      executableName: 'headframe',
      syncDesktopName: true,
      icon: join(here, '..', 'icons', 'icon.png'),
      category: 'Utility',
      synopsis: 'Site gateway for mines, quarries and construction sites',
      maintainer: 'Headframe <desktop@headframe.invalid>',
      target: ['deb', 'AppImage'],
    },
    deb: {
      packageName: 'headframe-desktop',
      fpm: [`${join(here, '70-headframe-serial.rules')}=/usr/lib/udev/rules.d/70-headframe-serial.rules`],
    },
    win: { icon: join(here, '..', 'icons', 'icon.ico'), requestedExecutionLevel: 'asInvoker', target: ['nsis'] },
    // Installs for one user, without a question and without the rights of an administrator.
    nsis: { oneClick: true, perMachine: false, deleteAppDataOnUninstall: false },
  };
}
