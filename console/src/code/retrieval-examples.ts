import { type BrainTarget, bearer, body, cli, client, script, shell, word } from './examples.ts'

// The reads of the playground as code: for a program, a shell and a model.

/** One read in each form. `mcp`: the tool call, as a client of the protocol sends it. */
type RetrievalExample = { curl: string; sdk: string; cli?: string; mcp: string }

type Given = Readonly<Record<string, unknown>>

const given = (input: Given): Given =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined))

const mcp = (target: BrainTarget, name: string, input: Given): string =>
  `// POST ${target.baseUrl}/v1/brains/${target.handle}/mcp
${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given(input) } }, null, 2)}`

const call = (target: BrainTarget, method: string, input: Given): string =>
  `${client(target)}const answer = await client.brain(${script(target.handle)}).${method}(${script(given(input))})`

const post = (target: BrainTarget, path: string, input: Given): string =>
  `curl ${word(`${target.baseUrl}/v1/brains/${target.handle}/${path}`)} \\\n  ${bearer} \\\n  ${body(given(input))}`

type Search = Given & { q: string }

const flag = (name: string, value: unknown): string =>
  value === undefined ? '' : ` --${name} ${word(Array.isArray(value) ? value.join(',') : String(value))}`

const metadataFlag = (given: unknown): string =>
  typeof given === 'object' && given !== null
    ? Object.entries(given)
        .map(([key, value]) => flag('metadata', `${key}=${value}`))
        .join('')
    : ''

export const searchExample = (target: BrainTarget, input: Search): RetrievalExample => {
  const asked: Search = { ...input, q: input.q || 'how do we release' }
  const { q, ...rest } = asked
  const texts = Object.entries(given(asked)).flatMap(([name, value]): [string, string][] =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.entries(value).map(([key, one]) => [`${name}.${key}`, String(one)])
      : [[name, String(value)]],
  )
  return {
    curl: `curl ${shell(`${target.baseUrl}/v1/brains/${target.handle}/search?${new URLSearchParams(texts)}`)} \\\n  ${bearer}`,
    sdk: call(target, 'search', asked),
    cli: cli(
      target,
      `search ${shell(q)} --brain ${word(target.handle)}${flag('mode', input.mode)}${flag('types', input.types)}${flag('kinds', input.kinds)}${flag('source', input.source)}${flag('since', input.since)}${flag('until', input.until)}${metadataFlag(input.metadata)}`,
    ),
    mcp: mcp(target, 'knowledge_search', { query: q, ...rest }),
  }
}

export const contextExample = (target: BrainTarget, input: Given & { query: string }): RetrievalExample => ({
  curl: post(target, 'context', input),
  sdk: call(target, 'context', input),
  mcp: mcp(target, 'knowledge_context', input),
})

export const queryExample = (target: BrainTarget, input: Given & { kind: string }): RetrievalExample => ({
  curl: post(target, 'query', input),
  sdk: call(target, 'query', input),
  mcp: mcp(target, 'knowledge_query', input),
})
