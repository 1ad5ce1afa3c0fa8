import { stagedChanges } from '@noema/contracts/triggers.ts'
import type { Db, RunPrepared } from '../../../storage/database.ts'
import { readPage, splitEvents } from '../../kernel/stream/stream.ts'
import { decodeCursor } from '../../platform/cursors/cursors.ts'
import { selectRun } from '../runs/run-queries.ts'
import type { RunKey } from '../runs/types.ts'
import { selectTrigger } from './trigger-queries.ts'

/** The change whose staging started a run, and the id of its Brain; undefined for other runs, and once the trigger is gone. */
export const findStagedChange = async (
  { db, prepared }: { db: Db; prepared: RunPrepared },
  key: RunKey,
): Promise<{ brainId: string; change: string } | undefined> => {
  const { organizationId } = key
  const { triggerId = null, triggerCursor = null } = (await selectRun(db, key)) ?? {}
  if (triggerId === null || triggerCursor === null) return undefined
  const trigger = await selectTrigger(db, organizationId, triggerId)
  if (!trigger?.kindScopes.some(({ entityKind }) => entityKind === stagedChanges)) return undefined
  const position = Number(decodeCursor(triggerCursor)?.place)
  const page = await readPage(prepared, trigger.brainId, { after: position - 1, limit: 1 })
  const [event] = splitEvents(page).map((text) => JSON.parse(text))
  return event?.type === 'change.staged'
    ? { brainId: trigger.knowledgeGraphId, change: String(event.data.change) }
    : undefined
}
