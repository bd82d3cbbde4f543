/**
 * Stands in for the module `electron`, whose program cannot be had on every machine. Its pages are real pages of Chromium, each session is a
 * browser context, and messages pass through the real preload script. The types of what it offers are those of electron.d.ts, and
 * `substitute.test.ts` compares the names of all events with electron.d.ts.
 */
import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:tls';
import { Script } from 'node:vm';
import type * as Electron from 'electron';
import type { Browser, BrowserContext, Page, Request, Route } from 'playwright';

/** What a test sees of the app, and what it decides for the system. */
export interface World {
  readonly browser: Browser;
  readonly paths: { readonly userData: string; readonly home: string };
  /** Folder that the person chooses in the dialog. */
  folder: string | undefined;
  displays: Electron.Display[];
  readonly windows: BaseWindow[];
  readonly contents: WebContents[];
  readonly sessions: Map<string, Session>;
  readonly outside: string[];
  readonly blockers: Set<number>;
  tray: Tray | undefined;
  clipboard: string;
  quits: number;
  isFirst: boolean;
}

let world: World;

/** Begins with an app that has not started. */
export function newWorld(browser: Browser, paths: World['paths']): World {
  world = {
    browser,
    paths,
    folder: undefined,
    displays: [display(1, 'Main', 0), display(2, 'TV', 1_280)],
    windows: [],
    contents: [],
    sessions: new Map(),
    outside: [],
    blockers: new Set(),
    tray: undefined,
    clipboard: '',
    quits: 0,
    isFirst: true,
  };
  for (const one of [app, screen]) one.removeAllListeners();
  handlers.clear();
  return world;
}

function display(id: number, label: string, x: number): Electron.Display {
  const bounds = { x, y: 0, width: 1_280, height: 720 };
  return { id, label, bounds } as Electron.Display;
}

/** An event that a listener can prevent. */
class Preventable {
  defaultPrevented = false;
  preventDefault(): void {
    this.defaultPrevented = true;
  }
}

class App extends EventEmitter {
  readonly isPackaged = false;
  requestSingleInstanceLock(): boolean {
    return world.isFirst;
  }
  whenReady(): Promise<void> {
    return Promise.resolve();
  }
  enableSandbox(): void {}
  getPath(name: Parameters<Electron.App['getPath']>[0]): string {
    return name === 'home' ? world.paths.home : world.paths.userData;
  }
  getAppPath(): string {
    return world.paths.userData;
  }
  setLoginItemSettings(): void {}
  getLoginItemSettings(): Electron.LoginItemSettings {
    return { openAtLogin: false } as Electron.LoginItemSettings;
  }
  quit(): void {
    const event = new Preventable();
    this.emit('before-quit', event);
    if (event.defaultPrevented) return;
    for (const window of [...world.windows]) window.close();
    world.quits++;
    this.emit('quit');
  }
}
export const app = new App() satisfies Pick<
  Electron.App,
  | 'isPackaged'
  | 'requestSingleInstanceLock'
  | 'whenReady'
  | 'enableSandbox'
  | 'getPath'
  | 'getAppPath'
  | 'setLoginItemSettings'
  | 'getLoginItemSettings'
  | 'quit'
>;

class Screen extends EventEmitter {
  getAllDisplays(): Electron.Display[] {
    return world.displays;
  }
}
export const screen = new Screen() satisfies Pick<Electron.Screen, 'getAllDisplays'>;

export const clipboard = {
  async writeText(text: string) {
    world.clipboard = text;
  },
} satisfies Pick<Electron.Clipboard, 'writeText'>;

export const dialog = {
  showOpenDialog: async () => ({
    canceled: world.folder === undefined,
    filePaths: world.folder === undefined ? [] : [world.folder],
  }),
  showMessageBox: async () => ({ response: 0, checkboxChecked: false }),
} satisfies Pick<Electron.Dialog, 'showOpenDialog' | 'showMessageBox'>;

export const shell = {
  async openExternal(url: string) {
    world.outside.push(url);
  },
  openPath: async (path: string) => {
    world.outside.push(path);
    return '';
  },
  showItemInFolder(path: string) {
    world.outside.push(path);
  },
} satisfies Pick<Electron.Shell, 'openExternal' | 'openPath' | 'showItemInFolder'>;

let blockers = 0;
export const powerSaveBlocker = {
  start(type: 'prevent-app-suspension' | 'prevent-display-sleep') {
    if (type === 'prevent-display-sleep') world.blockers.add(++blockers);
    return blockers;
  },
  stop: (id: number) => world.blockers.delete(id),
} satisfies Pick<Electron.PowerSaveBlocker, 'start' | 'stop'>;

export const nativeImage = {
  createFromPath: (path: string) => ({ path, size: readFileSync(path).length }) as unknown as Electron.NativeImage,
};

export const Menu = {
  setApplicationMenu(menu: null) {
    return menu;
  },
  buildFromTemplate: (template: Electron.MenuItemConstructorOptions[]) => template,
};

export class Tray extends EventEmitter implements Pick<Electron.Tray, 'setToolTip'> {
  toolTip = '';
  items: Electron.MenuItemConstructorOptions[] = [];
  constructor(_icon: Electron.NativeImage) {
    super();
    world.tray = this;
  }
  setToolTip(text: string): void {
    this.toolTip = text;
  }
  setContextMenu(items: Electron.MenuItemConstructorOptions[]): void {
    this.items = items;
  }
  /** Clicks the item whose label begins with this text. */
  click(label: string, checked = false): void {
    const item = this.items.find((one) => one.label?.startsWith(label));
    if (item?.click === undefined || item.enabled === false) throw new Error(`no item ${label}`);
    item.click({ checked } as Electron.MenuItem, undefined, {} as Electron.KeyboardEvent);
  }
}

type Handler = (event: Electron.IpcMainInvokeEvent, ...args: unknown[]) => unknown;
const handlers = new Map<string, Handler>();
export const ipcMain = {
  handle: (channel: string, handler: Handler) => void handlers.set(channel, handler),
} satisfies Pick<Electron.IpcMain, 'handle'>;

/** Sends a message as a page would: `frame` is the frame that sends it. */
export function invoke(sender: WebContents, frame: { readonly url: string } | null, channel: string, message: unknown) {
  const event = { sender, senderFrame: frame } as unknown as Electron.IpcMainInvokeEvent;
  return handlers.get(channel)?.(event, structuredClone(message));
}

const schemes: string[] = [];
export const protocol = {
  registerSchemesAsPrivileged: (all: Electron.CustomScheme[]) => void schemes.push(...all.map((one) => one.scheme)),
} satisfies Pick<Electron.Protocol, 'registerSchemesAsPrivileged'>;

/** Chromium does not know the scheme of the app, so its pages have this address instead. */
const SHELL = 'http://shell.headframe.test';
const toChromium = (url: string) => url.replace('headframe://shell', SHELL);
const toElectron = (url: string) => url.replace(SHELL, 'headframe://shell');

type Verify = Exclude<Parameters<Electron.Session['setCertificateVerifyProc']>[0], null>;
type Permission = Exclude<Parameters<Electron.Session['setPermissionRequestHandler']>[0], null>;
type Before = (details: { url: string }, callback: (response: Electron.CallbackResponse) => void) => void;

export class Session {
  readonly context: Promise<BrowserContext>;
  readonly cookies = new EventEmitter();
  readonly protocolHandlers = new Map<string, (request: Request_) => Response | Promise<Response>>();
  readonly protocol = {
    handle: (scheme: string, handler: (request: Request_) => Response | Promise<Response>) =>
      void this.protocolHandlers.set(scheme, handler),
  };
  verify: Verify | undefined;
  permission: Permission | undefined;
  permissionCheck: unknown;
  device: (() => boolean) | undefined;
  before: Before | undefined;
  completed: ((details: { url: string; statusCode: number }) => void) | undefined;
  spellChecker = true;
  readonly webRequest = {
    onBeforeRequest: (_filter: Electron.WebRequestFilter, listener: Before) => {
      this.before = listener;
    },
    onCompleted: (_filter: Electron.WebRequestFilter, listener: NonNullable<Session['completed']>) => {
      this.completed = listener;
    },
  };
  constructor() {
    this.context = world.browser.newContext({ viewport: { width: 1_280, height: 720 }, ignoreHTTPSErrors: true });
    void this.context.then((context) => context.route('**/*', (route, request) => this.#route(route, request)));
  }
  setPermissionRequestHandler(handler: Permission): void {
    this.permission = handler;
  }
  setPermissionCheckHandler(handler: unknown): void {
    this.permissionCheck = handler;
  }
  setDevicePermissionHandler(handler: () => boolean): void {
    this.device = handler;
  }
  setSpellCheckerEnabled(on: boolean): void {
    this.spellChecker = on;
  }
  setCertificateVerifyProc(proc: Verify): void {
    this.verify = proc;
  }

  async #route(route: Route, request: Request): Promise<void> {
    const url = toElectron(request.url());
    const own = world.contents.filter((one) => one.session === this);
    if (request.isNavigationRequest() && !own.some((one) => one.owns(request))) {
      // A page opens a window. Electron asks before it makes one.
      const opener = own.find((one) => one.windowOpen !== undefined && one.page !== undefined);
      const details = { url } as Electron.HandlerDetails;
      if (opener?.windowOpen?.(details).action !== 'allow') return route.abort('blockedbyclient');
    }
    const owner = own.find((one) => request.isNavigationRequest() && one.owns(request));
    // The page stays where it is.
    if (owner?.isStopped(url, request)) return route.abort('aborted');
    const cancelled = await new Promise<boolean>((resolve) => {
      if (this.before === undefined) resolve(false);
      else this.before({ url }, ({ cancel }) => resolve(cancel === true));
    });
    if (cancelled) return route.abort('blockedbyclient');
    const handler = this.protocolHandlers.get(new URL(url).protocol.slice(0, -1));
    if (handler === undefined) return route.fallback();
    const answer = await handler({ url } as Request_);
    await route.fulfill({
      status: answer.status,
      headers: Object.fromEntries(answer.headers),
      body: Buffer.from(await answer.arrayBuffer()),
    });
  }

  /** Returns the verdict of the app on the certificate of a server; null without TLS. */
  async verdict(url: URL): Promise<number | null> {
    if (url.protocol !== 'https:') return null;
    const socket = connect({ host: url.hostname, port: Number(url.port), rejectUnauthorized: false });
    const data = await new Promise<string | undefined>((resolve) => {
      socket.once('secureConnect', () => resolve(socket.getPeerX509Certificate()?.toString()));
      socket.once('error', () => resolve(undefined));
    });
    socket.destroy();
    if (data === undefined) return null;
    const asked = { hostname: url.hostname, certificate: { data } } as Electron.Request;
    return new Promise((resolve) => this.verify?.(asked, resolve));
  }
}
/** The request of a custom protocol. */
type Request_ = { readonly url: string };

export const session = {
  fromPartition(name: string): Session {
    const found = world.sessions.get(name) ?? new Session();
    world.sessions.set(name, found);
    return found;
  },
};

let ids = 0;
export class WebContents
  extends EventEmitter
  implements
    Pick<
      Electron.WebContents,
      'id' | 'loadURL' | 'close' | 'send' | 'focus' | 'isLoading' | 'executeJavaScript' | 'forcefullyCrashRenderer'
    >
{
  readonly id = ++ids;
  readonly session: Session;
  readonly preferences: Electron.WebPreferences;
  windowOpen: Parameters<Electron.WebContents['setWindowOpenHandler']>[0] | undefined;
  /** The page of Chromium; a page that crashed is replaced at the next load. */
  page: Page | undefined;
  loads: string[] = [];
  #loading = false;
  #wanted = '';
  readonly #listeners = new Map<string, (event: unknown, message: unknown) => void>();

  constructor(preferences: Electron.WebPreferences) {
    super();
    this.preferences = preferences;
    this.session = preferences.session as unknown as Session;
    world.contents.push(this);
    app.emit('web-contents-created', {}, this);
  }
  get mainFrame() {
    return { url: toElectron(this.page?.url() ?? '') };
  }
  setWindowOpenHandler(handler: NonNullable<WebContents['windowOpen']>): void {
    this.windowOpen = handler;
  }
  async loadURL(url: string): Promise<void> {
    this.loads.push(url);
    this.#loading = true;
    this.#wanted = toChromium(url);
    try {
      const verdict = await this.session.verdict(new URL(url));
      if (verdict !== null && verdict !== 0) throw new Error('ERR_CERT_AUTHORITY_INVALID');
      this.page ??= await this.#open();
      // A change of the hash alone loads nothing.
      await this.page.goto(this.#wanted);
      this.#loading = false;
      this.emit('did-finish-load');
    } catch (error) {
      this.#loading = false;
      const { message } = error as Error;
      this.emit('did-fail-load', {}, -1, message.split('\n')[0], url, true);
      throw error;
    }
  }
  async #open(): Promise<Page> {
    const page = await (await this.session.context).newPage();
    page.on('crash', () => this.emit('render-process-gone', {}, { reason: 'crashed' }));
    page.on('popup', (popup) => void popup.close().catch(() => {}));
    page.on('response', (response) => {
      this.session.completed?.({ url: response.url(), statusCode: response.status() });
      const read = response.headersArray().then((all) => {
        for (const { name, value } of all) if (name.toLowerCase() === 'set-cookie') this.#cookie(value);
      });
      // The page may be closed before its last answer is read.
      read.catch(() => {});
    });
    await this.#preload(page);
    return page;
  }
  #cookie(text: string): void {
    const [pair = '', ...attributes] = text.split('; ');
    const at = pair.indexOf('=');
    const has = (name: string) => attributes.some((one) => one.toLowerCase().startsWith(name));
    const removed = has('max-age=0');
    const isSession = !has('expires=') && !has('max-age=');
    const cookie = { name: pair.slice(0, at), value: pair.slice(at + 1), session: isSession };
    this.session.cookies.emit('changed', {}, cookie, removed ? 'expired-overwrite' : 'inserted', removed);
  }
  /** Runs the real preload script here, and offers what it exposes to the page. */
  async #preload(page: Page): Promise<void> {
    if (this.preferences.preload === undefined) return;
    const exposed = new Map<string, Record<string, (...args: unknown[]) => unknown>>();
    const electron = {
      contextBridge: { exposeInMainWorld: (name: string, api: never) => exposed.set(name, api) },
      ipcRenderer: {
        invoke: async (channel: string, message: unknown) => invoke(this, this.#frame, channel, message),
        on: (channel: string, listener: never) => void this.#listeners.set(channel, listener),
      },
    };
    const script = new Script(`(function (require) {${readFileSync(this.preferences.preload, 'utf8')}})`);
    script.runInThisContext()((name: string) => {
      if (name !== 'electron') throw new Error(`the preload script requires ${name}`);
      return electron;
    });
    const names: string[] = [];
    for (const [name, api] of exposed)
      for (const [key, offered] of Object.entries(api)) {
        names.push(`${name}.${key}`);
        if (key !== 'follow') await page.exposeFunction(`__${name}_${key}`, offered);
        else
          offered((view: unknown) => {
            void page.evaluate((next) => (globalThis as never as Followed).__followed?.(next), view).catch(() => {});
          });
      }
    await page.addInitScript((all) => {
      const world = globalThis as never as Followed & Record<string, unknown>;
      for (const one of all) {
        const [name = '', key = ''] = one.split('.');
        const api = (world[name] ?? {}) as Record<string, unknown>;
        world[name] = api;
        if (key !== 'follow') api[key] = world[`__${name}_${key}`];
        else
          api[key] = (listener: (view: unknown) => void) => {
            world.__followed = listener;
          };
      }
    }, names);
  }
  get #frame() {
    const frame = this.mainFrame;
    // Electron gives the same object for the same frame.
    Object.defineProperty(this, 'mainFrame', {
      get: () => Object.assign(frame, { url: toElectron(this.page?.url() ?? '') }),
      configurable: true,
    });
    return this.mainFrame;
  }
  owns(request: Request): boolean {
    try {
      return request.frame().page() === this.page;
    } catch {
      // The first request of a new window has no frame yet.
      return false;
    }
  }
  /** Returns true if a listener prevents this navigation. Navigation that the app itself starts reaches no listener. */
  isStopped(url: string, request: Request): boolean {
    if (request.url() === this.#wanted || request.url() === this.#wanted.split('#')[0]) return false;
    const event = Object.assign(new Preventable(), { url });
    this.emit('will-navigate', event);
    return event.defaultPrevented;
  }
  send(channel: string, message: unknown): void {
    this.#listeners.get(channel)?.({}, structuredClone(message));
  }
  focus(): void {}
  isLoading(): boolean {
    return this.#loading;
  }
  executeJavaScript(code: string): Promise<unknown> {
    return this.page?.evaluate(code) ?? Promise.reject(new Error('no page'));
  }
  forcefullyCrashRenderer(): void {
    const { page } = this;
    this.page = undefined;
    void page?.close().catch(() => {});
    this.emit('render-process-gone', {}, { reason: 'crashed' });
  }
  close(): void {
    void this.page?.close().catch(() => {});
    world.contents.splice(world.contents.indexOf(this), 1);
  }
}
interface Followed {
  __followed?: (view: unknown) => void;
}

export class WebContentsView implements Pick<Electron.WebContentsView, 'setBounds' | 'setVisible'> {
  readonly webContents: WebContents;
  bounds: Electron.Rectangle = { x: 0, y: 0, width: 0, height: 0 };
  visible = true;
  constructor(options: Electron.WebContentsViewConstructorOptions) {
    this.webContents = new WebContents(options.webPreferences ?? {});
  }
  setBounds(bounds: Electron.Rectangle): void {
    this.bounds = bounds;
  }
  setVisible(visible: boolean): void {
    this.visible = visible;
  }
}

export class BaseWindow
  extends EventEmitter
  implements
    Pick<Electron.BaseWindow, 'getContentBounds' | 'setBounds' | 'show' | 'focus' | 'close' | 'isMinimized' | 'restore'>
{
  readonly options: Electron.BaseWindowConstructorOptions;
  readonly views: WebContentsView[] = [];
  readonly contentView = { addChildView: (view: WebContentsView) => void this.views.push(view) };
  bounds: Electron.Rectangle;
  constructor(options: Electron.BaseWindowConstructorOptions) {
    super();
    this.options = options;
    const { x = 0, y = 0, width = 800, height = 600 } = options;
    this.bounds = { x, y, width, height };
    world.windows.push(this);
  }
  getContentBounds(): Electron.Rectangle {
    return this.bounds;
  }
  setBounds(bounds: Partial<Electron.Rectangle>): void {
    this.bounds = { ...this.bounds, ...bounds };
    this.emit('resize');
  }
  show(): void {}
  focus(): void {}
  isMinimized(): boolean {
    return false;
  }
  restore(): void {}
  close(): void {
    const event = new Preventable();
    this.emit('close', event);
    if (event.defaultPrevented) return;
    world.windows.splice(world.windows.indexOf(this), 1);
    this.emit('closed');
  }
}
