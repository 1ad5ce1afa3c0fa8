import { type BrainTarget, bearer, body, cli, client, script, shell, word } from './examples.ts'

// The reads of the playground as code: for a program, a shell and a model.

/** One read in each form. `mcp`: the tool call, as a client of the protocol sends it. */
type RetrievalExample = { curl: string; sdk: string; cli?: string; mcp: string }

/** A corpus of a service. */
export type CorpusTarget = { baseUrl: string; corpus: string }

type Given = Readonly<Record<string, unknown>>

const given = (input: Given): Given =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined))

/** A Brain or a corpus: the paths of its calls, and the call of the SDK. */
type Read = { baseUrl: string; path: string; mcpPath: string; sdk: (method: string, input: string) => string }

const ofBrain = ({ baseUrl, handle }: BrainTarget): Read => ({
  ...{ baseUrl, path: `/v1/brains/${handle}`, mcpPath: `/v1/brains/${handle}/mcp` },
  sdk: (method, input) => `client.brain(${script(handle)}).${method}(${input})`,
})

const ofCorpus = ({ baseUrl, corpus }: CorpusTarget): Read => ({
  ...{ baseUrl, path: `/v1/corpora/${corpus}`, mcpPath: '/v1/mcp' },
  sdk: (method, input) => `client.corpora.${method}(${script(corpus)}, ${input})`,
})

const mcp = ({ baseUrl, mcpPath }: Read, name: string, input: Given): string =>
  `// POST ${baseUrl}${mcpPath}
${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given(input) } }, null, 2)}`

const call = (read: Read, method: string, input: Given): string =>
  `${client(read)}const answer = await ${read.sdk(method, script(given(input)))}`

const post = ({ baseUrl, path }: Read, method: string, input: Given): string =>
  `curl ${word(`${baseUrl}${path}/${method}`)} \\\n  ${bearer} \\\n  ${body(given(input))}`

type Search = Given & { q: string }

const flag = (name: string, value: unknown): string =>
  value === undefined ? '' : ` --${name} ${word(Array.isArray(value) ? value.join(',') : String(value))}`

const metadataFlag = (given: unknown): string =>
  typeof given === 'object' && given !== null
    ? Object.entries(given)
        .map(([key, value]) => flag('metadata', `${key}=${value}`))
        .join('')
    : ''

const filterFlags = ({ mode, limit, types, kinds, source, since, until, metadata, minEvidence }: Given): string =>
  [
    flag('mode', mode),
    flag('limit', limit),
    flag('types', types),
    flag('kinds', kinds),
    flag('source', source),
    flag('since', since),
    flag('until', until),
    metadataFlag(metadata),
    flag('min-evidence', minEvidence),
  ].join('')

/** The code of the page searches for this while nothing is asked yet. */
const exampleQuery = 'how do we release'

const asked = (input: Search): Search => ({ ...input, q: input.q || exampleQuery })

export const searchExample = (target: BrainTarget, input: Search): RetrievalExample => {
  const { q, ...rest } = asked(input)
  const texts = Object.entries(given({ q, ...rest })).flatMap(([name, value]): [string, string][] =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.entries(value).map(([key, one]) => [`${name}.${key}`, String(one)])
      : [[name, String(value)]],
  )
  const read = ofBrain(target)
  return {
    curl: `curl ${shell(`${target.baseUrl}${read.path}/search?${new URLSearchParams(texts)}`)} \\\n  ${bearer}`,
    sdk: call(read, 'search', { q, ...rest }),
    cli: cli(target, `search ${shell(q)} --brain ${word(target.handle)}${filterFlags(rest)}`),
    mcp: mcp(read, 'knowledge_search', { query: q, ...rest }),
  }
}

export const corpusSearchExample = (target: CorpusTarget, input: Search): RetrievalExample => {
  const { q, ...rest } = asked(input)
  const read = ofCorpus(target)
  return {
    curl: post(read, 'search', { q, ...rest }),
    sdk: call(read, 'search', { q, ...rest }),
    cli: cli(target, `corpora search ${word(target.corpus)} ${shell(q)}${filterFlags(rest)}`),
    mcp: mcp(read, 'corpora_search', { name: target.corpus, query: q, ...rest }),
  }
}

type Context = Given & { query: string }

const toContextExample = (read: Read, tool: string, context: Context, name: Given = {}): RetrievalExample => {
  const input = { ...context, query: context.query || exampleQuery }
  return {
    curl: post(read, 'context', input),
    sdk: call(read, 'context', input),
    mcp: mcp(read, tool, { ...name, ...input }),
  }
}

export const contextExample = (target: BrainTarget, input: Context): RetrievalExample =>
  toContextExample(ofBrain(target), 'knowledge_context', input)

export const corpusContextExample = (target: CorpusTarget, input: Context): RetrievalExample =>
  toContextExample(ofCorpus(target), 'corpora_context', input, { name: target.corpus })

export const queryExample = (target: BrainTarget, input: Given & { kind: string }): RetrievalExample => ({
  curl: post(ofBrain(target), 'query', input),
  sdk: call(ofBrain(target), 'query', input),
  mcp: mcp(ofBrain(target), 'knowledge_query', input),
})
