import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { SIGNAL_NAMES, signalRow } from '#contract/base/signals.ts';
import { DOWN_TOPICS, UP_TOPICS } from '#contract/fleet/ingest.ts';

test('docs/mqtt.md names every topic, and every signal with its unit', async () => {
  const text = await readFile(join(import.meta.dirname, '..', '..', 'docs', 'mqtt.md'), 'utf8');
  const words = text.replaceAll(/\s+/g, ' ');
  for (const topic of [...UP_TOPICS, ...DOWN_TOPICS]) assert.ok(words.includes(`| \`${topic}\` |`), topic);
  for (const name of SIGNAL_NAMES) assert.ok(words.includes(`\`${name}\` (${signalRow(name).unit})`), name);
});
