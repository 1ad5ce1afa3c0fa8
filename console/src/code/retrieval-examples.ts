import { type BrainPlace, bearer, body, cli, client, script, shell, word } from './examples.ts'

// The reads of the playground in every way to make them: what a program, a shell and a model would send.

/** One read in each way. `mcp`: the call of a tool, as a client of the protocol sends it. */
type RetrievalExample = { curl: string; sdk: string; cli?: string; mcp: string }

type Given = Readonly<Record<string, unknown>>

const given = (input: Given): Given =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined))

const mcp = (place: BrainPlace, name: string, input: Given): string =>
  `// POST ${place.baseUrl}/v1/brains/${place.handle}/mcp
${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given(input) } }, null, 2)}`

const call = (place: BrainPlace, method: string, input: Given): string =>
  `${client(place)}const answer = await client.brain(${script(place.handle)}).${method}(${script(given(input))})`

const post = (place: BrainPlace, path: string, input: Given): string =>
  `curl ${word(`${place.baseUrl}/v1/brains/${place.handle}/${path}`)} \\\n  ${bearer} \\\n  ${body(given(input))}`

type Search = Given & { q: string }

const flag = (name: string, value: unknown): string =>
  value === undefined ? '' : ` --${name} ${word(Array.isArray(value) ? value.join(',') : String(value))}`

export const searchExample = (place: BrainPlace, input: Search): RetrievalExample => {
  const asked: Search = { ...input, q: input.q || 'how do we release' }
  const { q, ...rest } = asked
  const texts = Object.entries(given(asked)).map(([name, value]): [string, string] => [name, String(value)])
  return {
    curl: `curl ${shell(`${place.baseUrl}/v1/brains/${place.handle}/search?${new URLSearchParams(texts)}`)} \\\n  ${bearer}`,
    sdk: call(place, 'search', asked),
    cli: cli(
      place,
      `search ${shell(q)} --brain ${word(place.handle)}${flag('mode', input.mode)}${flag('types', input.types)}${flag('kinds', input.kinds)}`,
    ),
    mcp: mcp(place, 'knowledge_search', { query: q, ...rest }),
  }
}

export const contextExample = (place: BrainPlace, input: Given & { query: string }): RetrievalExample => ({
  curl: post(place, 'context', input),
  sdk: call(place, 'context', input),
  mcp: mcp(place, 'knowledge_context', input),
})

export const queryExample = (place: BrainPlace, input: Given & { kind: string }): RetrievalExample => ({
  curl: post(place, 'query', input),
  sdk: call(place, 'query', input),
  mcp: mcp(place, 'knowledge_query', input),
})
