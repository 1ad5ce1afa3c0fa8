import { readText } from '@noema/contracts/messages.ts'
import type { Run } from '@noema/contracts/runs.ts'
import type { SharedPart } from '@noema/contracts/shared-runs.ts'
import type { SecretBox } from '../../../shared/secret-box.ts'
import { hasAccess } from '../../accounts/keys/revoking.ts'
import { selectSpoken } from '../messages/answer-queries.ts'
import { instructed, readStepTexts, type Source } from '../messages/answers.ts'
import { selectRun } from '../runs/run-queries.ts'
import { runView } from '../runs/run-view.ts'
import {
  countView,
  reachesDeletedBrain,
  type SharedOperation,
  type ShareRow,
  selectShare,
  selectSharedOperations,
} from './queries.ts'
import { type ShareDeps, tokenContext } from './run-shares.ts'

// The content of the page of a shared run. Everything is looked up at each view: the link, the access of its maker, the Brains of the run, and
// the parts of the run that the link includes. The texts are bounded.

type Deps = Omit<ShareDeps, 'limits'> & {
  /** True if a run is hidden from a person now. */
  isHidden: (run: { organizationId: string; id: string }, userId: string) => Promise<boolean>
}

/** The most of each part that a page shows. */
const most = { messages: 200, operations: 500, bytes: 512 * 1024 }

/** The parts of a run that a link shows; undefined for those that it does not include. */
export type SharedRun = {
  state: Run['state']
  completedAt: string | null
  expiresAt: Date
  answer: string | undefined
  input: string | undefined
  messages: readonly { role: string; text: string }[] | undefined
  operations: readonly SharedOperation[] | undefined
  citations: readonly Source[] | undefined
}

type Named = { organizationId: string; id: string }

const readToken = (secretBox: SecretBox, token: string): Named | undefined => {
  const text = secretBox.decrypt(Buffer.from(token, 'base64url'), tokenContext)
  return text === undefined ? undefined : JSON.parse(text)
}

/** True if the maker of a link could read the run now. */
const isMakerAllowed = async (
  { db, clock, isHidden }: Deps,
  { organizationId }: Named,
  { createdBy, runId }: ShareRow,
) => {
  if (!(await hasAccess(db, createdBy, { organizationId, now: clock.now() }))) return false
  const person = createdBy.type === 'session' ? createdBy.id : createdBy.userId
  return person === undefined || !(await isHidden({ organizationId, id: runId }, person))
}

const cut = (text: string): string => (text.length > most.bytes ? `${text.slice(0, most.bytes)} …` : text)

const toText = (input: unknown): string => {
  if (typeof input === 'string') return cut(input)
  const said = Array.isArray(input) ? input.at(-1) : undefined
  return cut(typeof said === 'object' && said !== null ? readText(said) : JSON.stringify(input, null, 2))
}

const readRun = async (deps: Deps, { organizationId }: Named, share: ShareRow): Promise<SharedRun | undefined> => {
  const { db, keyedDb } = deps
  const key = { organizationId, id: share.runId }
  const row = await selectRun(keyedDb, key)
  if (!row || (await reachesDeletedBrain(db, key))) return undefined
  const run = runView(row)
  const steps = await readStepTexts({ keyedDb }, key)
  const shows = (part: SharedPart) => share.include.includes(part)
  const answer = run.output === undefined ? steps.at(-1)?.text : JSON.stringify(run.output, null, 2)
  const spoken = { limit: most.messages, maxBytes: most.bytes, instructed }
  const sources = new Map(steps.flatMap((step) => step.sources).map((source) => [source.id, source]))
  return {
    ...{ state: run.state, completedAt: run.completedAt, expiresAt: share.expiresAt },
    answer: answer === undefined ? undefined : cut(answer),
    input: shows('input') ? toText(run.input) : undefined,
    messages: shows('messages') ? await selectSpoken(keyedDb, { ...key, conversationId: null }, spoken) : undefined,
    operations: shows('operations') ? await selectSharedOperations(keyedDb, key, most.operations) : undefined,
    citations: shows('citations') ? [...sources.values()] : undefined,
  }
}

/** The run that a token leads to; undefined if it leads nowhere, or not any more. `isView`: counts as a view. */
export const openShare = async (deps: Deps, token: string, isView: boolean): Promise<SharedRun | undefined> => {
  const { db, clock, secretBox, sharesRuns } = deps
  const named = sharesRuns ? readToken(secretBox, token) : undefined
  const share = named && (await selectShare(db, named))
  if (!named || !share) return undefined
  const now = clock.now()
  if (share.revokedAt !== null || share.expiresAt <= now || !(await isMakerAllowed(deps, named, share)))
    return undefined
  const shown = await readRun(deps, named, share)
  if (shown && isView) await countView(db, named, now)
  return shown
}
