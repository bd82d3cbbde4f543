/** Runs the tests of `engine-suite.ts` over each storage engine: SQLite, and the store of the simulator. */
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { StorageEngine } from '#store/base/engine.ts';
import { openFileEngine } from '#store/file/open-engine.ts';
import { SimStore } from '#test/sim/sim-store.ts';
import { type Subject, testEngine } from './engine-suite.ts';
import { settings, temporaryFolder } from './kit.ts';

async function openSqlite(): Promise<Subject> {
  const folder = temporaryFolder();
  const options = settings(folder.path);
  const inner = join(folder.path, 'store');
  mkdirSync(inner);
  const open = () => openFileEngine(options, inner);
  let engine: StorageEngine = await open();
  const close = () => engine[Symbol.asyncDispose]();
  const file = join(inner, 'headframe.db');
  return {
    get engine() {
      return engine;
    },
    get time() {
      return options.time;
    },
    set time(ms) {
      options.time = ms;
    },
    async reopen() {
      await close();
      engine = await open();
    },
    async reopenAfterLoss() {
      await close();
      copyFileSync(file, `${file}.old`);
      engine = await open();
      await engine.commit([{ project_id: 'prj_a', collection: 'records', id: 'lost', object: 'device', data: {} }]);
      await close();
      // The high-water mark knows the commit that this older file does not have.
      copyFileSync(`${file}.old`, file);
      engine = await open();
    },
    async [Symbol.asyncDispose]() {
      await close();
      folder[Symbol.dispose]();
    },
  };
}

async function openSim(): Promise<Subject> {
  const subject = { time: Date.UTC(2026, 0, 1) };
  const store = new SimStore(() => subject.time);
  const open = () =>
    store.engine({
      alive: () => true,
      read: async (effect) => effect(),
      commit: async (_, effect) => effect(),
    });
  let engine = open();
  return Object.defineProperties(subject, {
    engine: { get: () => engine },
    reopen: {
      value: async () => {
        engine = open();
      },
    },
    reopenAfterLoss: {
      value: async () => {
        store.beginIncarnation();
        engine = open();
      },
    },
    [Symbol.asyncDispose]: { value: async () => {} },
  }) as unknown as Subject;
}

testEngine('SQLite', openSqlite);
testEngine('simulator', openSim);
