import type { JSONSchema7 } from '@ai-sdk/provider'
import type { AgentDefinition } from '@noema/contracts/agents.ts'
import { type Endpoint, onlyReads } from '@noema/contracts/endpoint.ts'
import { authenticateRun } from '../../access/authenticate-run.ts'
import type { BrainPrincipal } from '../../access/principal.ts'
import type { AppDeps } from '../../api/app-deps.ts'
import { type Arguments, createInvoke } from '../../api/invoke.ts'
import { callTool, failCall, leavingReceipts, type ToolResult } from '../../api/tools/call-tool.ts'
import { listedTool } from '../../api/tools/input-schema.ts'
import { findRead } from '../../api/tools/reads.ts'
import { type Tool, tools } from '../../api/tools/tools.ts'
import { findReceiptBefore } from '../../features/retrieval/receipts/receipts.ts'
import { forbidden, refuseAt, validation } from '../../shared/errors.ts'
import { isJsonObject } from '../../shared/text/json.ts'
import { boundOutput } from './bound-output.ts'
import { isRepeated } from './retry-later.ts'
import { type RunTool, type ToolContext, type ToolOutcome, toBuiltinSource } from './run-tool.ts'

// The tools of a Brain for a run. The server sets the Brain, the reader, the idempotency key of a write and its provenance: the
// model does not see these arguments, and is refused if it sends one.

type Listed = NonNullable<ReturnType<typeof listedTool>>
type PinnedBrain = AgentDefinition['brains'][number]

/** Whose run it is. */
export type RunIdentity = { id: string; organizationId: string }

/** Names that the server sets, in arguments and inside them. */
const hidden = ['consumerId', 'idempotencyKey', 'provenance']

/** A page of a list is refused beyond this many characters, before it is read. */
const maxListBytes = 2 * 1024 * 1024

const capabilities = { read_only: ['read'], read_write: ['read', 'write'] } as const

const withOrigin = ['record.create', 'record.put', 'record.patch', 'statement.assert', 'document.put']

const refuse = (path: readonly (string | number)[]) =>
  validation('The server sets this. Leave it out.', {
    at: path,
    details: [{ path, message: 'The server sets this. Leave it out.' }],
  })

/** Refuses names that the server sets: in the arguments, and in the operations of a write. */
export const checkArguments = (given: Arguments): void => {
  const wrong = hidden.find((name) => Object.hasOwn(given, name))
  if (wrong !== undefined) throw refuse([wrong])
  if (!Array.isArray(given.operations)) return
  const index = given.operations.findIndex((one) => isJsonObject(one) && Object.hasOwn(one, 'provenance'))
  if (index >= 0) throw refuse(['operations', index, 'provenance'])
}

/** The operations of a write with where their knowledge comes from: the newest receipt of the run, and never trusted (D-35). */
const addOrigin = (operations: unknown, receipt: string | undefined): unknown => {
  const provenance = { trust: 'unverified', ...(receipt === undefined ? {} : { receipt }) }
  if (!Array.isArray(operations)) return operations
  return operations.map((one) =>
    isJsonObject(one) && withOrigin.includes(String(one.op)) ? { ...one, provenance } : one,
  )
}

const complete =
  (deps: AppDeps, principal: BrainPrincipal, runId: string, operationId: string) =>
  async (endpoint: Endpoint, given: Arguments): Promise<Arguments> => {
    checkArguments(given)
    if (leavingReceipts.includes(endpoint)) return { ...given, consumerId: runId }
    if (endpoint.idempotencyKey !== 'header') return given
    const receipt = await findReceiptBefore(deps, principal.brain, { consumerId: runId, operationId })
    return { ...given, operations: addOrigin(given.operations, receipt), idempotencyKey: operationId }
  }

const refuseWrites = async (): Promise<void> => {
  throw forbidden('This run may only read here.')
}

export const toOutput = ({ text }: Tool, { isError, texts, data }: ToolResult): unknown => {
  if (isError) return texts.join('\n')
  return text === undefined ? data : Object.fromEntries(text.map((name) => [name, data[name]]))
}

const readChange = ({ change }: ToolResult['data']): string | undefined =>
  isJsonObject(change) && typeof change.id === 'string' ? change.id : undefined

const toOutcome = (tool: Tool, result: ToolResult, brain: { handle: string } | undefined): ToolOutcome => {
  const { isError, data, subject } = result
  const receipt = !isError && typeof data.receipt === 'string' ? data.receipt : undefined
  const change = isError ? undefined : readChange(data)
  return {
    output: boundOutput(toOutput(tool, result)),
    isError,
    ...(receipt === undefined ? {} : { receipt }),
    ...(change === undefined ? {} : { change }),
    ...(brain === undefined ? {} : { brainHandle: brain.handle }),
    ...(subject === undefined ? {} : { subject }),
  }
}

const callBrainTool = async (
  deps: AppDeps,
  { run, brain, tool }: { run: RunIdentity; brain: PinnedBrain; tool: Tool },
  input: unknown,
  { operationId, signal, guard, isLastTry }: ToolContext,
): Promise<ToolOutcome> => {
  signal.throwIfAborted()
  const throws = (error: unknown) => isRepeated(error, isLastTry)
  try {
    const principal = await authenticateRun(deps, {
      organizationId: run.organizationId,
      runId: run.id,
      brainId: brain.id,
    })
    if (!isJsonObject(input)) throw refuseAt([], 'The arguments of a tool are an object.')
    const settings = {
      consumerId: run.id,
      complete: complete(deps, principal, run.id, operationId),
      guard: principal.capabilities.includes('write') ? guard : refuseWrites,
      maxListBytes,
      throws,
    }
    const result = await callTool({ ...deps, invoke: createInvoke(deps) }, tool, input, principal, settings)
    return toOutcome(tool, result, principal.brain)
  } catch (error) {
    if (throws(error)) throw error
    return toOutcome(tool, failCall(deps, tool, error), undefined)
  }
}

/** `known` is what no run changes. */
type Listing = { tool: Tool; listed: Listed; known: Pick<RunTool, 'source' | 'subject' | 'isRead'> }

const listings = new Map<PinnedBrain['access'], Listing[]>()

/** The tools that an access allows, as models see them. Listed once: they do not change while the service runs. */
const findListings = (access: PinnedBrain['access']) => {
  const cached =
    listings.get(access) ??
    tools.flatMap((tool) => {
      const listed = listedTool(tool, capabilities[access], hidden)
      const actions = Object.values(tool.actions)
      // Until a call names its action, it is taken for the first.
      const subject = actions[0] && findRead(actions[0])?.subject
      const isRead = access === 'read_only' || actions.every(onlyReads)
      const known = { source: toBuiltinSource(tool.name), isRead, ...(subject === undefined ? {} : { subject }) }
      return listed ? [{ tool, listed, known }] : []
    })
  listings.set(access, cached)
  return cached
}

/** The tools of one Brain that a run was given. `toName` gives each its name. */
export const listBrainTools = (
  deps: AppDeps,
  run: RunIdentity,
  brain: PinnedBrain,
  { isOnly, toName }: { isOnly: boolean; toName: (requested: string, source: string) => string },
): RunTool[] =>
  findListings(brain.access).map(
    ({ tool, listed, known }): RunTool => ({
      kind: 'call',
      name: toName(isOnly ? tool.name : `${brain.handle}__${tool.name}`, brain.id),
      description: isOnly ? listed.description : `Of the Brain ${JSON.stringify(brain.handle)}: ${listed.description}`,
      inputSchema: listed.inputSchema as JSONSchema7,
      ...known,
      isRepeatable: true,
      call: (input, context) => callBrainTool(deps, { run, brain, tool }, input, context),
    }),
  )
