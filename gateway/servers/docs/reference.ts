/** Builds the API reference at `/docs` from the declared operations. Its pages have no script and load nothing from other servers. */
import { ERRORS } from '#contract/base/errors.ts';
import { LIMITS } from '#contract/base/limits.ts';
import type { OperationName } from '#contract/operations.ts';
import { RUN_ERRORS } from '#contract/work/run-errors.ts';
import { escapeMarkup as text } from '#servers/base/markup.ts';
import { CATALOG, type CatalogRow, takesIdempotencyKey } from '#servers/invoke/catalog.ts';
import { CONTRACT_HASH } from '#servers/invoke/contract-hash.ts';
import { typesOf } from '#servers/invoke/formats.ts';
import { type JsonSchema, operationRow, schemaOf } from '#servers/invoke/json-schemas.ts';
import { bodyLimits } from './operations-doc.ts';

/** Levels of nested objects that a table of fields shows. */
const DEPTH = 3;

/** Titles of the pages that are not about a group of operations. */
const TITLES: Readonly<Record<string, string>> = { '': 'API reference', errors: 'Errors', limits: 'Limits' };

/**
 * Returns a page of the reference. The name is empty for the index, or `errors`, `limits`, or a group of operations such as `equipment`.
 * Undefined for any other name. Operations that this node does not serve are left out.
 */
export function referencePage(name: string, serves: (operation: OperationName) => boolean): string | undefined {
  const groups = Map.groupBy(
    CATALOG.filter((row) => serves(row.name)),
    groupOf,
  );
  const page =
    name === ''
      ? overview(groups)
      : name === 'errors'
        ? errors()
        : name === 'limits'
          ? limits()
          : group(groups.get(name));
  return page === undefined ? undefined : shell(TITLES[name] ?? name, page, [...groups.keys()].sort());
}

function groupOf({ path }: CatalogRow): string {
  return path.split('/')[3] ?? '';
}

function overview(byName: ReadonlyMap<string, readonly CatalogRow[]>): string {
  const groups = [...byName].sort(([a], [b]) => (a < b ? -1 : 1));
  const count = groups.reduce((sum, [, rows]) => sum + rows.length, 0);
  return `<p>${count} operations. Each is a REST route and, unless it is marked HTTP only, an MCP tool of the same name at <code>/mcp</code>.
For programs there are the <a href="/api/v1/openapi.json">OpenAPI 3.1 document</a> and the <a href="/api/v1/operations">operation catalog</a>. Both, and every answer, contain the contract hash
<code class="hash">${CONTRACT_HASH}</code>.</p>
<h2>Calling</h2>
<ul>
<li><code>Authorization: Bearer wk_...</code>, a key from the office page or <code>headframe keys create</code>.</li>
<li><code>Project-ID: prj_...</code> on calls of scope <i>project</i>; <code>GET /api/v1/projects</code> lists them.</li>
<li><code>Idempotency-Key</code> on writes: a call that you repeat within ${LIMITS.receipt.value} hours is carried out once, and you get the first answer again.</li>
<li><code>If-Match: "3"</code> on changes: the change is refused if the object has another revision (its <code>ETag</code>). Without it the last write wins, except where <code>precondition_required</code> is listed.</li>
<li>Lists have pages: send <code>next_cursor</code> as <code>cursor</code> to get the next one. With <code>Accept: text/csv</code> you get the whole list for a spreadsheet.</li>
<li>Every error has a stable <a href="/docs/errors">error code</a>. The <a href="/docs/limits">limits</a> page lists all limits.</li>
</ul>
<pre tabindex="0">curl -H "Authorization: Bearer $KEY" -H "Project-ID: $PROJECT" \\
  http://GATEWAY:8480/api/v1/equipment?live_status=running</pre>
${groups
  .map(
    ([name, rows]) =>
      `<h2><a href="/docs/${name}">${name}</a></h2>${table(
        ['Method and path', 'Tool', 'What it does'],
        rows.map((row) => [
          `<a href="/docs/${name}#${row.name}"><code>${row.method} ${text(row.path)}</code></a>`,
          row.tool === null ? 'HTTP only' : `<code>${row.tool}</code>`,
          text(row.summary),
        ]),
      )}`,
  )
  .join('')}`;
}

function group(rows: readonly CatalogRow[] | undefined): string | undefined {
  return rows?.map(operation).join('');
}

/** Returns the star that marks a required header. */
function mark(row: CatalogRow, header: string): string {
  return row.requires.includes(header) ? ' <b title="required">*</b>' : '';
}

function operation(row: CatalogRow): string {
  const input = schemaOf(row.name, 'input');
  const output = schemaOf(row.name, 'output');
  const required = new Set(input.required ?? []);
  const inPath = new Set([...row.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
  const place = row.method === 'GET' || row.method === 'DELETE' ? 'query' : 'body';
  const headers = [
    ...(row.scope === 'project' ? ['<code>Project-ID</code>'] : []),
    ...(takesIdempotencyKey(row.name) ? [`<code>Idempotency-Key</code>${mark(row, 'idempotency-key')}`] : []),
    ...(row.if_match ? [`<code>If-Match</code>${mark(row, 'if-match')}`] : []),
  ];
  const { example } = operationRow(row.name);
  return `<section id="${row.name}"><h2>${text(row.summary)}</h2>
<p class="route"><b>${row.method}</b> <code>${text(row.path)}</code></p>
<dl><dt>Tool</dt><dd>${row.tool === null ? `HTTP only: ${row.http_only_because}` : `<code>${row.tool}</code>`}</dd>
<dt>For</dt><dd>${row.scope === 'none' ? 'everybody, without a key, at a limited rate' : row.roles.join(', ')}</dd>
${headers.length === 0 ? '' : `<dt>Headers</dt><dd>${headers.join(', ')}</dd>`}
<dt>Answers as</dt><dd>${row.stream ? 'text/event-stream' : typesOf(row.name).join(', ')}</dd>
${row.source === 'spec' ? '' : `<dt>Added because</dt><dd>${text(row.source)}</dd>`}</dl>
${
  Object.keys(input.properties).length === 0
    ? ''
    : `<h3>Input</h3>${table(
        ['Name', 'Where', 'Type', 'Meaning'],
        Object.entries(input.properties).flatMap(([key, schema]) =>
          fields(key, schema, input.$defs ?? {}).map(({ path, type, meaning }) => [
            `<code>${text(path)}</code>${path === key && required.has(key) ? ' <b title="required">*</b>' : ''}`,
            inPath.has(key) ? 'path' : place,
            type,
            meaning,
          ]),
        ),
      )}`
}
${example === undefined ? '' : `<pre tabindex="0">${text(JSON.stringify(example, null, 2))}</pre>`}
${
  row.stream
    ? ''
    : `<h3>Output</h3>${table(
        ['Name', 'Type', 'Meaning'],
        Object.entries(output.properties).flatMap(([key, schema]) =>
          fields(key, schema, output.$defs ?? {}).map(({ path, type, meaning }) => [
            `<code>${text(path)}</code>`,
            type,
            meaning,
          ]),
        ),
      )}`
}
${row.errors.length === 0 ? '' : `<p>Specific errors: ${row.errors.map((code) => `<a href="/docs/errors#${code}"><code>${code}</code></a>`).join(', ')}.</p>`}
</section>`;
}

interface Field {
  readonly path: string;
  readonly type: string;
  readonly meaning: string;
}

/** Returns the table rows of a field and of the fields inside it, up to `DEPTH` levels. */
function fields(path: string, node: JsonSchema, defs: Readonly<Record<string, JsonSchema>>, depth = 1): Field[] {
  const { schema, nullable, list } = unwrap(node, defs);
  const {
    properties,
    enum: values,
    description,
  } = schema as {
    properties?: Record<string, JsonSchema>;
    enum?: unknown[];
    description?: string;
  };
  const kind =
    values === undefined
      ? text(String(schema.type ?? schema.const ?? 'any'))
      : values.map((v) => `<code>${text(String(v))}</code>`).join(' ');
  const own = {
    path: list ? `${path}[]` : path,
    type: `${list ? 'list of ' : ''}${kind}${nullable ? ' or null' : ''}`,
    meaning: [
      text(String(node.description ?? description ?? '')),
      ...('default' in node ? [`<code>${text(JSON.stringify(node.default))}</code> is the default.`] : []),
    ].join(' '),
  };
  if (properties === undefined || depth === DEPTH) return [own];
  return [
    own,
    ...Object.entries(properties).flatMap(([key, child]) => fields(`${own.path}.${key}`, child, defs, depth + 1)),
  ];
}

function unwrap(
  node: JsonSchema,
  defs: Readonly<Record<string, JsonSchema>>,
): { schema: JsonSchema; nullable: boolean; list: boolean } {
  if (typeof node.$ref === 'string') return unwrap(defs[node.$ref.slice('#/$defs/'.length)] ?? {}, defs);
  const branches = node.anyOf as JsonSchema[] | undefined;
  const [only, ...more] = branches?.filter(({ type }) => type !== 'null') ?? [];
  if (branches !== undefined && only !== undefined && more.length === 0)
    return { ...unwrap(only, defs), nullable: branches.length > 1 };
  if (node.type === 'array' && node.items !== undefined)
    return { ...unwrap(node.items as JsonSchema, defs), nullable: false, list: true };
  return { schema: node, nullable: false, list: false };
}

function errors(): string {
  return `<p>All interfaces send errors in the same form: <code>{"error": {"type", "code", "message", "param", "details", "request_id", "doc_url", "retryable"}}</code>.
Use <code>code</code> in programs; <code>message</code> is for people. Search the log of the gateway for <code>request_id</code> to find the call.</p>${table(
    ['Code', 'Status', 'Type', 'Retry', 'Meaning'],
    Object.entries(ERRORS).map(([code, [status, type, retryable, meaning]]) => [
      `<code id="${code}">${code}</code>`,
      String(status),
      `<code>${type}</code>`,
      retryable ? 'yes' : 'no',
      text(meaning),
    ]),
  )}<h2 id="runs">Failed runs</h2>
<p>A run that failed has <code>error_json</code> with one of these codes. Its transcript has the same code and remedy as a note. Programs may branch on the code. If a run did not do what you expected, first read its <code>skills</code>: an entry with the source <code>project_override</code> is a skill that your project changed.</p>${table(
    ['Code', 'Remedy'],
    Object.entries(RUN_ERRORS).map(([code, remedy]) => [`<code id="run-${code}">${code}</code>`, text(remedy)]),
  )}`;
}

function limits(): string {
  return table(
    ['What', 'Limit', 'Above the limit'],
    [...Object.values(LIMITS), ...bodyLimits()].map(({ what, value, unit, beyond }) => [
      code(what),
      `${value.toLocaleString('en')} ${unit}`,
      code(beyond),
    ]),
  );
}

function shell(title: string, inner: string, groups: readonly string[]): string {
  const link = (href: string, word: string) =>
    `<a href="/docs${href}"${word === title ? ' aria-current="page"' : ''}>${word}</a>`;
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Headframe: ${title}</title><link rel="icon" href="data:,"><link rel="stylesheet" href="/docs/reference.css"></head>
<body><nav aria-label="Reference">${link('', 'API reference')}${link('/errors', 'Errors')}${link('/limits', 'Limits')}<hr>${groups
    .map((name) => link(`/${name}`, name))
    .join('')}</nav><main><h1>${title}</h1>${inner}</main></body></html>`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = (tag: string, row: readonly string[]) => row.map((cell) => `<${tag}>${cell}</${tag}>`).join('');
  return `<div class="scroll"><table><thead><tr>${cells('th', head)}</tr></thead><tbody>${rows
    .map((row) => `<tr>${cells('td', row)}</tr>`)
    .join('')}</tbody></table></div>`;
}

/** Escapes text for HTML, and shows words in backquotes as code. */
function code(plain: string): string {
  return text(plain).replace(/`([^`]+)`/g, '<code>$1</code>');
}

/** The style sheet of the reference. It is a separate file because the content security policy allows no inline styles. */
export const REFERENCE_CSS = `:root{color-scheme:light dark;--bg:light-dark(#eef1f4,#12161c);--tile:light-dark(#fff,#1c222b);--text:light-dark(#12161c,#f2f5f8);--soft:light-dark(#3f4a56,#b4bfcc);--edge:light-dark(#d5dbe1,#323b47);--link:light-dark(#0b5fa8,#6cc4f5)}
*{box-sizing:border-box}
body{margin:0;display:grid;grid-template-columns:15rem minmax(0,1fr);background:var(--bg);color:var(--text);font:16px/1.5 system-ui,sans-serif}
nav{position:sticky;top:0;height:100vh;overflow:auto;padding:1.5rem 1rem;border-right:1px solid var(--edge)}
nav a{display:block;padding:.65rem .5rem;border-radius:.3rem;text-decoration:none}
nav a[aria-current]{background:var(--tile);font-weight:600}
nav hr{border:0;border-top:1px solid var(--edge)}
main{padding:1.5rem 2rem 4rem;max-width:75rem}
a{color:var(--link)}
h1{margin:0 0 1rem}
h2{margin:2.5rem 0 .5rem}
section{margin:0 0 1.5rem;padding:1px 1.25rem 1rem;background:var(--tile);border:1px solid var(--edge);border-radius:.5rem;scroll-margin-top:1rem}
section:target{outline:2px solid var(--link)}
section h2{margin-top:1rem}
dl{display:grid;grid-template-columns:9rem 1fr;gap:.2rem 1rem}
dt{color:var(--soft)}
dd{margin:0}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;vertical-align:top;padding:.35rem .75rem .35rem 0;border-bottom:1px solid var(--edge)}
th{color:var(--soft);font-weight:600}
tr:has(:target){background:color-mix(in srgb,var(--link) 20%,transparent)}
code,pre{font:.875em/1.5 ui-monospace,monospace}
.hash{overflow-wrap:anywhere}
.alone{display:block}
.alone main{max-width:50rem;margin:auto}
.alone code{overflow-wrap:anywhere}
.qr svg{display:block;width:12rem;height:12rem}
pre{padding:.75rem 1rem;overflow-x:auto;background:var(--bg);border:1px solid var(--edge);border-radius:.3rem}
@media(max-width:50rem){body{display:block}nav{position:static;height:auto;border:0;display:flex;flex-wrap:wrap}nav hr{display:none}main{padding:1rem}dl{grid-template-columns:1fr}}`;
