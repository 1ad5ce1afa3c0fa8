import { checkCapabilities } from '../access/authorize.ts'
import { countMore, toSubject } from '../access/limits.ts'
import type { BrainPrincipal, ManagerPrincipal } from '../access/principal.ts'
import type { BrainRow } from '../features/kernel/brains/brain-queries.ts'
import { takePreviewSlot } from '../features/retrieval/previews/preview-slots.ts'
import { readWithChange } from '../features/retrieval/previews/read-preview.ts'
import { invalidArgument } from '../shared/errors.ts'
import type { AppDeps } from './app-deps.ts'

// Reads that name a pending change. Each may take what several other reads take, so it counts as several requests, and a node works
// on few at once.

type Reader = (ManagerPrincipal | BrainPrincipal) & { brain: BrainRow }

/** The requests that a read with a change counts as. */
const readCost = 5

/** Waits for a slot for reads with pending changes, and counts them as so many requests. */
export const inPreviewSlot = async <Found>(
  deps: AppDeps,
  principal: Reader,
  cost: number,
  task: () => Promise<Found>,
): Promise<Found> => {
  checkCapabilities(principal, ['read', 'review'])
  const subject = toSubject(principal)
  // It was counted once when it arrived.
  countMore(deps, { subject, organization: principal.organization }, cost - 1)
  return takePreviewSlot(deps.previewSlots, subject, task)
}

/** Refuses a change together with an earlier state. */
const checkNow = (asOf: number | undefined): void => {
  if (asOf !== undefined) throw invalidArgument(['change'], 'a change is read on the current state. Leave asOf out.')
}

type Asked = { change?: string | undefined; asOf?: number | undefined }

/** A Brain, and the pending change that it is read with. */
export type ChangeTarget = { brain: BrainRow; change: string }

/** Runs a read as if the change that it names were published. */
export const atChange = <Found>(
  deps: AppDeps,
  principal: Reader,
  { change = '', asOf }: Asked,
  read: (target: ChangeTarget) => Promise<Found>,
): Promise<Found> => {
  checkNow(asOf)
  return inPreviewSlot(deps, principal, readCost, () => read({ brain: principal.brain, change }))
}

/** The rows that a read is made of. */
export type Rows = Pick<AppDeps, 'db' | 'prepared'>

/** Runs a read of rows, which answers JSON text, on the server that has the Brain. */
export const readCurrent = (
  { brainReads }: Pick<AppDeps, 'brainReads'>,
  brain: BrainRow,
  read: (rows: Rows, brain: BrainRow) => Promise<string>,
): Promise<string> => brainReads.runCurrent(brain, (source) => read(source, brain))

/** Runs a read of rows, which answers JSON text, as if the change that it names were published. */
export const readAtChange = async (
  deps: AppDeps,
  { principal, query }: { principal: Reader; query: Asked },
  read: (rows: Rows, brain: BrainRow) => Promise<string>,
): Promise<{ json: string }> => ({
  json: await atChange(deps, principal, query, (target) =>
    readWithChange(deps, target, async ({ brain, source, preview }) => {
      const json = await read(source, brain)
      return `${json.slice(0, -1)},"preview":${JSON.stringify(preview.described)}}`
    }),
  ),
})
