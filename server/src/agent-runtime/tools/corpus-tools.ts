import type { JSONSchema7 } from '@ai-sdk/provider'
import { readCorpusContext, searchCorpus } from '@noema/contracts/corpora.ts'
import { authenticateRun } from '../../access/authenticate-run.ts'
import type { AppDeps } from '../../api/app-deps.ts'
import type { Invoke } from '../../api/invoke.ts'
import { parseBody } from '../../api/parse.ts'
import { checkKeepable } from '../../api/read-json.ts'
import { callTool, failCall } from '../../api/tools/call-tool.ts'
import { corpusContextTool, searchCorpusTool } from '../../api/tools/corpus-tools.ts'
import { listedTool } from '../../api/tools/input-schema.ts'
import type { Tool } from '../../api/tools/tools.ts'
import type { BrainRow } from '../../features/kernel/brains/brain-queries.ts'
import { openCorpus } from '../../features/retrieval/corpora/corpora.ts'
import { contextOfCorpus, type ReadableCorpus, searchInCorpus } from '../../features/retrieval/corpora/read-corpus.ts'
import { ApiError, refuseAt } from '../../shared/errors.ts'
import { isJsonObject } from '../../shared/text/json.ts'
import { boundOutput } from './bound-output.ts'
import { checkArguments, type RunIdentity, toOutput } from './brain-tools.ts'
import { isRepeated } from './retry-later.ts'
import { type RunTool, type ToolContext, type ToolOutcome, toBuiltinSource } from './run-tool.ts'

// The tools of a corpus for a run. A run reads those Brains of it that were open to its starter when it began and are still; the
// others are parts that could not be read. The server sets the corpus and the reader.

/** Names that the server sets. */
const hidden = ['name', 'consumerId']

/** The tools by the names that those of a Brain have, so that a model uses both alike. */
const tools: readonly Tool[] = [
  { ...searchCorpusTool, name: 'knowledge_search' },
  { ...corpusContextTool, name: 'knowledge_context' },
]

type Called = { run: RunIdentity; corpus: string }

/** Opens a corpus for a run. Each Brain is authorized like a tool call on that Brain. */
const openForRun = (deps: AppDeps, { run, corpus: name }: Called): Promise<Omit<ReadableCorpus, 'subject'>> =>
  openCorpus(deps, { organizationId: run.organizationId, name }, async (ids) => {
    const brains = new Map<string, BrainRow>()
    for (const brainId of ids)
      try {
        const requested = { organizationId: run.organizationId, runId: run.id, brainId }
        brains.set(brainId, (await authenticateRun(deps, requested)).brain)
      } catch (error) {
        if (!(error instanceof ApiError) || error.kind !== 'not_found') throw error
      }
    return brains
  })

const createInvoke =
  (deps: AppDeps, called: Called): Invoke =>
  async (endpoint, _principal, given) => {
    checkKeepable(given)
    const { organizationId, id } = called.run
    const subject = { organization: organizationId, key: `${organizationId} ${id}` }
    const open = async () => ({ ...(await openForRun(deps, called)), subject })
    const read = <Body>(schema: Parameters<typeof parseBody>[0]): Body =>
      parseBody(schema, { ...given, consumerId: id }, { root: [], isStrict: true }).body as Body
    if (endpoint === searchCorpus) return { data: await searchInCorpus(deps, await open(), read(searchCorpus.body)) }
    return { data: await contextOfCorpus(deps, await open(), read(readCorpusContext.body)) }
  }

const callCorpusTool = async (
  deps: AppDeps,
  called: Called,
  tool: Tool,
  { input, context: { signal, isLastTry } }: { input: unknown; context: ToolContext },
): Promise<ToolOutcome> => {
  signal.throwIfAborted()
  const throws = (error: unknown) => isRepeated(error, isLastTry)
  try {
    if (!isJsonObject(input)) throw refuseAt([], 'The arguments of a tool are an object.')
    checkArguments(input)
    const result = await callTool(
      { ...deps, invoke: createInvoke(deps, called) },
      tool,
      input,
      { kind: 'public' },
      { throws },
    )
    return {
      output: boundOutput(toOutput(tool, result)),
      isError: result.isError,
      ...(result.subject === undefined ? {} : { subject: result.subject }),
    }
  } catch (error) {
    if (throws(error)) throw error
    return { output: boundOutput(toOutput(tool, failCall(deps, tool, error))), isError: true }
  }
}

/** The tools of one corpus that a run was given. `toName` gives each its name. */
export const listCorpusTools = (
  deps: AppDeps,
  run: RunIdentity,
  corpus: string,
  { isOnly, toName }: { isOnly: boolean; toName: (requested: string, source: string) => string },
): RunTool[] =>
  tools.flatMap((tool): RunTool[] => {
    const listed = listedTool(tool, ['read'], hidden)
    if (!listed) return []
    return [
      {
        kind: 'call',
        name: toName(isOnly ? tool.name : `${corpus}__${tool.name}`, `corpus ${corpus}`),
        description: `Of the corpus ${JSON.stringify(corpus)}: ${listed.description}`,
        inputSchema: listed.inputSchema as JSONSchema7,
        source: toBuiltinSource(tool.name),
        isRepeatable: true,
        isRead: true,
        subject: 'corpus',
        call: (input, context) => callCorpusTool(deps, { run, corpus }, tool, { input, context }),
      },
    ]
  })
