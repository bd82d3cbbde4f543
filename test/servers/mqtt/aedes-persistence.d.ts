/** The suite comes without types. */
declare module 'aedes-persistence/abstract.js' {
  import type { test } from 'node:test';

  export default function abstract(options: {
    test: typeof test;
    persistence: () => Promise<unknown>;
    testAsync: true;
  }): void;
}
