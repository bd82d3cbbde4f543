import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OWNER_KEY, startGateway } from '#test/support/gateway.ts';

/** The cells of a CSV text (RFC 4180), written apart from what makes it. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (quoted) {
      if (c !== '"') cell += c;
      else if (text[i + 1] === '"') {
        cell += '"';
        i++;
      } else quoted = false;
    } else if (c === '"') quoted = true;
    else if (c === ',') {
      row.push(cell);
      cell = '';
    } else if (c === '\r' && text[i + 1] === '\n') {
      rows.push([...row, cell]);
      row = [];
      cell = '';
      i++;
    } else cell += c;
  }
  assert.equal(cell, '', 'the last line ends');
  return rows;
}

async function site() {
  const gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'Pit' });
  const get = (path: string, accept?: string) =>
    fetch(`${gateway.node.http}/api/v1/${path}`, {
      headers: {
        authorization: `Bearer ${OWNER_KEY}`,
        'project-id': project.id,
        ...(accept === undefined ? {} : { accept }),
      },
    });
  return { gateway, client: gateway.project(project.id), project, get };
}

test('[W12] a list as CSV has every item over all pages, with a column per declared field', async () => {
  const { gateway, client, get } = await site();
  await using _ = gateway;
  const made: string[] = [];
  // A client's pool opens new sockets while it still holds old ones, and 64 are all that one address has.
  for (let i = 0; i < 420; i += 20)
    made.push(
      ...(await Promise.all(
        Array.from({ length: 20 }, (_, k) => client.call('equipment_create', { unit_number: `HT-${i + k}` })),
      ).then((machines) => machines.map(({ id }) => id))),
    );
  const answer = await get('equipment?kind=none', 'text/csv');
  assert.match(await answer.text(), /^object,id,[^\r]+\r\n$/, 'an empty list is its head');
  const all = await get('equipment', 'text/csv');
  assert.match(all.headers.get('content-type') ?? '', /^text\/csv/);
  assert.match(all.headers.get('content-disposition') ?? '', /^attachment/);
  const [head = [], ...rows] = parseCsv(await all.text());
  assert.equal(new Set(head).size, head.length);
  for (const field of ['id', 'unit_number', 'engine_hours', 'dtc_counts.active', 'context.run_id'])
    assert.ok(head.includes(field), field);
  assert.ok(rows.every((row) => row.length === head.length));
  assert.deepEqual(rows.map((row) => row[head.indexOf('id')]).toSorted(), made.toSorted());
  assert.equal(rows[0]?.[head.indexOf('engine_hours')], '', 'unknown is empty, not zero');
});

test('[W12] no cell of a CSV is a formula, and quotes, commas and line ends survive', async () => {
  const { gateway, client, get } = await site();
  await using _ = gateway;
  const names = ['=1+1', '+1', '-1', '@SUM(A1)', ' =2', '\uFF1D1', 'a "b", c'];
  for (const [i, name] of names.entries()) await client.call('equipment_create', { unit_number: `U-${i}`, name });
  const [head = [], ...rows] = parseCsv(await (await get('equipment?order=asc', 'text/csv')).text());
  const cells = rows.map((row) => row[head.indexOf('name')] ?? '');
  assert.deepEqual(
    cells.map((cell) => cell.replace(/^'/, '').trim()),
    names.map((name) => name.trim()),
  );
  for (const cell of cells) assert.doesNotMatch(cell, /^\s*[=+\-@\uFF1D]/, cell);
  const [machine] = (await client.call('equipment_list', {})).data;
  const description = 'two\nlines, "quoted"\r\n=3';
  await client.call('repair_tickets_create', { equipment_id: machine?.id ?? '', title: 'Leak', description });
  const [columns = [], ticket] = parseCsv(await (await get('repair-tickets', 'text/csv')).text());
  assert.equal(ticket?.[columns.indexOf('description')], description);
});

test('[W13] events are sent as CloudEvents, one at a time and in pages', async () => {
  const { gateway, client, project } = await site();
  await using _ = gateway;
  const machine = await client.call('equipment_create', { unit_number: 'HT-1' });
  await client.call('equipment_append_event', { id: machine.id, type: 'note', source: '钻机 ☃', data: {} });
  const path = `${gateway.node.http}/api/v1/equipment/${machine.id}/events`;
  const headers = { authorization: `Bearer ${OWNER_KEY}`, 'project-id': project.id };
  const appended = await fetch(path, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', accept: 'application/cloudevents+json' },
    body: JSON.stringify({ type: 'note', source: 'radio desk', source_event_id: '7', data: { text: 'hi' } }),
  });
  assert.equal(appended.status, 201);
  assert.match(appended.headers.get('content-type') ?? '', /^application\/cloudevents\+json/);
  const one = (await appended.json()) as Record<string, unknown>;
  assert.deepEqual(
    [one.specversion, one.type, one.subject, one.projectid, one.data],
    ['1.0', 'io.headframe.note', `equipment/${machine.id}`, project.id, { text: 'hi' }],
  );
  assert.match(String(one.source), /^\/gateways\/gw_\w+\/sources\/radio%20desk$/);
  for (const key of Object.keys(one)) assert.match(key, /^[a-z0-9]+$/, 'CloudEvents 3.1: names');
  const seen: unknown[] = [];
  let next: string | undefined = `${path}?limit=1`;
  while (next !== undefined) {
    const page: Response = await fetch(next, { headers: { ...headers, accept: 'application/cloudevents+json' } });
    assert.match(page.headers.get('content-type') ?? '', /^application\/cloudevents-batch\+json/);
    seen.push(...((await page.json()) as { id: string }[]).map(({ id }) => id));
    const link: string | undefined = /^<([^>]+)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1];
    next = link === undefined ? undefined : new URL(link, path).href;
  }
  const log = await client.call('equipment_events', { id: machine.id });
  assert.deepEqual(
    seen,
    log.data.map(({ id }) => id),
  );
  assert.equal(seen[0], one.id);
});

test('[W14] an Accept header without a supported format is 406; browsers and curl get JSON', async () => {
  const { gateway, get } = await site();
  await using _ = gateway;
  for (const accept of ['*/*', 'text/html,application/xhtml+xml,*/*;q=0.8', 'application/json', 'text/csv;q=0.1, */*'])
    assert.match((await get('equipment', accept)).headers.get('content-type') ?? '', /^application\/json/, accept);
  for (const [path, accept] of [
    ['equipment', 'image/png'],
    ['equipment', 'application/cloudevents+json'],
    ['projects/x', 'text/csv'],
  ] as const) {
    const answer = await get(path, accept);
    const { error } = (await answer.json()) as { error: { code: string } };
    assert.deepEqual([answer.status, error.code], [406, 'not_acceptable'], `${path} ${accept}`);
  }
});
