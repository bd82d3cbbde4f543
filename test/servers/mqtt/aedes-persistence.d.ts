/** The test suite of aedes-persistence has no types of its own. */
declare module 'aedes-persistence/abstract.js' {
  import type { test } from 'node:test';

  export default function abstract(options: {
    test: typeof test;
    persistence: () => Promise<unknown>;
    testAsync: true;
  }): void;
}
