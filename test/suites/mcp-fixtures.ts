/** The tools, prompts and resources that the conformance suite of MCP expects of a server. No gateway has them. */
import type { CallToolResult, ContentBlock, ReadResourceResult } from '@modelcontextprotocol/sdk/types.js';
import type { Extras } from '#servers/mcp/extras.ts';
import type { PromptRow } from '#servers/mcp/prompts.ts';

type Tool = Extras['tools'][number];

/** A PNG of one pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
/** The header of a WAV file without samples. */
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=';

const text = (words: string): ContentBlock => ({ type: 'text', text: words });
const image: ContentBlock = { type: 'image', data: PNG, mimeType: 'image/png' };
const embedded = (uri: string, mimeType: string, words: string): ContentBlock => ({
  type: 'resource',
  resource: { uri, mimeType, text: words },
});

const tool = (
  name: string,
  run: (call: Parameters<Tool['run']>[0]) => Promise<CallToolResult> | CallToolResult,
  inputSchema: Tool['tool']['inputSchema'] = { type: 'object' },
): Tool => ({
  tool: { name, description: `Fixture of the conformance suite: ${name}.`, inputSchema },
  run: async (call) => run(call),
});
const answers = (name: string, ...content: ContentBlock[]): Tool => tool(name, () => ({ content }));

const prompt = (name: string, args: readonly string[], messages: PromptRow['messages']): PromptRow => ({
  name,
  title: name,
  description: `Fixture of the conformance suite: ${name}.`,
  arguments: args.map((each) => ({ name: each, description: each, required: true })),
  needs: [],
  messages,
});

const resource = (uri: string, mimeType: string, read: (uri: string) => ReadResourceResult | undefined) => ({
  resource: { uri, name: uri, mimeType },
  read,
});

export const FIXTURES: Extras = {
  tools: [
    answers('test_simple_text', text('This is a simple text response for testing.')),
    answers('test_image_content', image),
    answers('test_audio_content', { type: 'audio', data: WAV, mimeType: 'audio/wav' }),
    answers('test_embedded_resource', embedded('test://embedded-resource', 'text/plain', 'An embedded resource.')),
    answers(
      'test_multiple_content_types',
      text('Multiple content types test:'),
      image,
      embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ),
    tool('test_error_handling', () => ({
      isError: true,
      content: [text('This tool intentionally returns an error for testing')],
    })),
    tool('test_tool_with_logging', ({ tell }) => {
      for (const words of ['Tool execution started', 'Tool processing data', 'Tool execution completed'])
        tell('info', words);
      return { content: [text('Logged three messages.')] };
    }),
    tool('test_tool_with_progress', async ({ progress }) => {
      for (const done of [0, 50, 100])
        await progress?.send({
          method: 'notifications/progress',
          params: { progressToken: progress.token, progress: done, total: 100 },
        });
      return { content: [text('Reported progress.')] };
    }),
    tool('json_schema_2020_12_tool', () => ({ content: [text('ok')] }), {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: { address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } } },
      properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
      additionalProperties: false,
    }),
  ],
  prompts: [
    prompt('test_simple_prompt', [], () => [{ role: 'user', content: text('This is a simple prompt for testing.') }]),
    prompt('test_prompt_with_arguments', ['arg1', 'arg2'], ({ arg1, arg2 }) => [
      { role: 'user', content: text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`) },
    ]),
    prompt('test_prompt_with_embedded_resource', ['resourceUri'], ({ resourceUri = '' }) => [
      { role: 'user', content: embedded(resourceUri, 'text/plain', 'Embedded resource content for testing.') },
      { role: 'user', content: text('Please process the embedded resource above.') },
    ]),
    prompt('test_prompt_with_image', [], () => [
      { role: 'user', content: image },
      { role: 'user', content: text('Please analyze the image above.') },
    ]),
  ],
  resources: [
    resource('test://static-text', 'text/plain', (uri) =>
      uri === 'test://static-text'
        ? { contents: [{ uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }] }
        : undefined,
    ),
    resource('test://static-binary', 'image/png', (uri) =>
      uri === 'test://static-binary' ? { contents: [{ uri, mimeType: 'image/png', blob: PNG }] } : undefined,
    ),
    resource('test://template/0/data', 'application/json', (uri) => {
      const [, id] = /^test:\/\/template\/(\w+)\/data$/.exec(uri) ?? [];
      if (id === undefined) return undefined;
      return { contents: [{ uri, mimeType: 'application/json', text: JSON.stringify({ id, templateTest: true }) }] };
    }),
  ],
};
