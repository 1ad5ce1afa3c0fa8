import { quotedAddress } from '@noema/contracts/run-stream.ts'
import type { Viewer } from '../../../storage/brain-access.ts'
import type { Db } from '../../../storage/database.ts'
import { readStepTexts, type StepText } from '../../agents/messages/answers.ts'
import { selectCalledTools } from '../../agents/runs/called-queries.ts'
import type { RunRow } from '../../agents/runs/types.ts'
import { findOpenBrains } from '../../retrieval/corpora/corpora.ts'
import { listReceiptPage } from '../../retrieval/receipts/receipts.ts'
import type { Answer, Cited, ReadItem } from '../grading/answer.ts'
import { selectBrainsOfRun } from './result-queries.ts'

// The answer of a run of an agent, as graders see it: its text or output, its tools, its citations and what its receipts list.

export type AgentDeps = { db: Db; keyedDb: Db }

/** Receipts of a run in one Brain that are read. */
const maxReceipts = 500

const toText = (run: RunRow, steps: readonly StepText[]): string =>
  run.output === null || run.output === undefined ? (steps.at(-1)?.text ?? '') : JSON.stringify(run.output)

const toCitations = (steps: readonly StepText[]): Cited[] =>
  steps.flatMap(({ sources }) =>
    sources.flatMap((source) => {
      const address = quotedAddress.safeParse(source.providerMetadata?.noema)
      if (!address.success) return []
      const { brain, type, id, version } = address.data
      return [{ brain, type, id, version }]
    }),
  )

const readItems = async ({ db }: AgentDeps, run: RunRow, viewer: Viewer): Promise<ReadItem[]> => {
  const { organizationId, id } = run
  const ids = await selectBrainsOfRun(db, { organizationId, id })
  const brains = await findOpenBrains({ db }, { organizationId, viewer })(ids)
  const items: ReadItem[] = []
  for (const brain of brains.values()) {
    const query = { consumerId: id, limit: maxReceipts, order: 'asc' as const }
    const { receipts } = await listReceiptPage({ db }, brain, query)
    for (const { served, moved } of receipts)
      for (const type of ['record', 'statement', 'document'] as const)
        for (const item of served[`${type}s`])
          items.push({
            ...{ brain: brain.handle, type, id: item.id, version: item.version },
            isCurrent: !moved.some(({ ref, from }) => ref.type === type && ref.id === item.id && from === item.version),
          })
  }
  return items
}

const toMilliseconds = ({ startedAt, createdAt, completedAt }: RunRow): number =>
  (completedAt ?? createdAt).getTime() - (startedAt ?? createdAt).getTime()

/** The answer of a completed run. `readsItems`: the graders need what its receipts list. */
export const readAgentAnswer = async (
  deps: AgentDeps,
  run: RunRow,
  { viewer, readsItems }: { viewer: Viewer; readsItems: boolean },
): Promise<Answer> => {
  const steps = await readStepTexts(deps, run)
  return {
    text: toText(run, steps),
    items: readsItems ? await readItems(deps, run, viewer) : [],
    citations: toCitations(steps),
    tools: await selectCalledTools(deps.keyedDb, run),
    costNanodollars: run.costNanodollars,
    milliseconds: toMilliseconds(run),
  }
}

/** Why a run has no answer that can be graded; undefined if it has one. */
export const findAgentError = (run: RunRow | undefined): string | undefined => {
  if (!run) return 'The run of this case is gone.'
  if (run.state === 'completed') return undefined
  return run.failureReason ?? run.abandonReason ?? `The run is ${run.state}.`
}
