/** The main process of the packaged desktop app. */
import { join } from 'node:path';
import { app } from 'electron';
import { startDesktop } from './app.ts';

// In the package, the gateway with its own Node.js is beside the archive of the app. In a checkout (`npm run desktop`), it is the checkout.
const home = app.getAppPath();
const gateway = app.isPackaged ? join(process.resourcesPath, 'gateway') : join(home, '..', '..', '..');
const windows = process.platform === 'win32';

void startDesktop({
  node: app.isPackaged ? join(gateway, 'runtime', windows ? 'node.exe' : 'node') : 'node',
  launcher: join(gateway, 'gateway', 'bin', 'headframe.js'),
  pages: join(home, 'pages'),
  preload: join(home, 'preload.cjs'),
  icons: join(home, 'icons'),
});
