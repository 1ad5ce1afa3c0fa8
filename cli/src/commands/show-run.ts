import type { Client } from '@noema/sdk'
import type { Context } from '../context.ts'
import { exitCodes } from '../exit-codes.ts'
import { writeLine } from '../output.ts'

export type Run = Awaited<ReturnType<Client['runs']['get']>>['run']

/** A run as one line of text. */
export const formatRun = ({ runId, state, agentId, createdAt }: Run): string =>
  `${runId}  ${state.padEnd(9)}  ${agentId}  ${createdAt}`

/** Describes the usage of a run in one sentence. */
export const formatUsage = ({ usage }: Run): string => {
  const cost = usage.costCents === undefined ? 'at an unknown price' : `for ${(usage.costCents / 100).toFixed(2)} USD`
  return `${usage.inputTokens} tokens read and ${usage.outputTokens} written, ${cost}`
}

/** The reason why a run did not complete; undefined if it did, or has not finished. */
const describeFailure = (run: Run): string | undefined => {
  if (run.state === 'failed') return `The run failed (${run.failureCategory}): ${run.failureReason}`
  if (run.state === 'abandoned') return `The run was cancelled${run.abandonReason ? `: ${run.abandonReason}` : '.'}`
  return undefined
}

/** Says on standard error why a run did not complete, and gives the exit code of a command that waited for it. */
export const reportEnd = async ({ stderr }: Pick<Context, 'stderr'>, run: Run): Promise<number> => {
  const failure = describeFailure(run)
  if (failure === undefined) return exitCodes.ok
  await writeLine(stderr, `noema: ${failure}`)
  return exitCodes.runFailed
}

/** The answer of a completed run: its output if its agent declares one, else the text of its last message. */
export const readAnswer = async (client: Client, run: Run, signal: AbortSignal): Promise<string> => {
  if (run.output !== undefined) return JSON.stringify(run.output, undefined, 2)
  const { messages } = await client.runs.messages(run.runId, { order: 'desc', limit: 1 }, { signal })
  return messages[0]?.text ?? ''
}
