import type { BrainRole, Capability } from '@noema/contracts/access.ts'
import type { Actor } from '../shared/actor.ts'
import { forbidden, notFound } from '../shared/errors.ts'
import type { BrainServers } from '../storage/brain-servers.ts'
import type { Db } from '../storage/database.ts'
import { runStatement } from '../storage/statements.ts'
import { readHead } from './heads.ts'
import type { Organization } from './organization.ts'
import type { BrainPrincipal } from './principal.ts'
import { findRunReach, type RequestedReach } from './queries.ts'
import { limitCapabilities } from './to-principal.ts'

// A run acts with the access that its agent was given: one Brain at a time, with read or read and write. Its grant is
// looked up at each call and never cached, as keys are, so a deletion or a revocation acts at the next call.

type Deps = { keyedDb: Db; isDivided: boolean; brainServers: BrainServers }

const findReach = async ({ keyedDb, isDivided, brainServers }: Deps, requested: RequestedReach) => {
  const [row] = await runStatement(keyedDb, findRunReach[isDivided ? 'divided' : 'whole'](requested))
  if (!isDivided || !row?.mayAct || row.brainId === null) return row
  return { ...row, ...((await readHead(brainServers, row.brainId)) ?? { brainId: null }) }
}

const hasLostAccess = () => forbidden('The starter of this run has lost access, and so has the run. Stop here.')

const toActor = (runId: string, userId: string | null): Actor => ({
  ...{ type: 'run', id: runId, runId },
  ...(userId === null ? {} : { userId }),
})

/** Returns a run as an actor in its organization, apart from any Brain. Throws if its starter has lost access. */
export const authenticateRunActor = async (
  deps: Deps,
  { organizationId, runId }: Omit<RequestedReach, 'brainId'>,
): Promise<{ actor: Actor; organization: Organization }> => {
  const row = await findReach(deps, { organizationId, runId, brainId: '' })
  if (!row?.mayAct) throw hasLostAccess()
  const { organizationName: name, tier, verified } = row
  return { actor: toActor(runId, row.userId), organization: { id: organizationId, name, tier, verified } }
}

const goneBrain = () =>
  notFound(
    'The Brain that this tool reads is gone: it was deleted, or the starter of this run has lost access to it. Go on without it.',
  )

type Reach = NonNullable<Awaited<ReturnType<typeof findReach>>>
type Reached = Reach & { brainId: number; brainRole: BrainRole }

const isReached = (row: Reach): row is Reached => row.brainId !== null && row.brainRole !== null

const toPrincipal = (
  { organizationId, runId }: RequestedReach,
  row: Reached,
  granted: readonly Capability[],
): BrainPrincipal => ({
  kind: 'brain',
  actor: toActor(runId, row.userId),
  organization: { id: organizationId, name: row.organizationName, tier: row.tier, verified: row.verified },
  capabilities: limitCapabilities(granted, row.brainRole),
  brain: row,
})

/**
 * Returns the principal of one call of a run. Throws if the Brain does not exist, or if the person who started the run has
 * left the organization, or if the key that started it was revoked.
 */
export const authenticateRun = async (deps: Deps, requested: RequestedReach): Promise<BrainPrincipal> => {
  const row = await findReach(deps, requested)
  if (!row?.mayAct) throw hasLostAccess()
  if (!isReached(row)) throw goneBrain()
  return toPrincipal(requested, row, row.access === 'read_write' ? ['read', 'write'] : ['read'])
}

/** Returns a run as a reviewer of a Brain, who reads and comments. Throws also if its starter may not review changes there. */
export const authenticateReviewingRun = async (deps: Deps, requested: RequestedReach): Promise<BrainPrincipal> => {
  const row = await findReach(deps, requested)
  if (!row?.mayAct) throw hasLostAccess()
  if (!isReached(row)) throw goneBrain()
  const principal = toPrincipal(requested, row, ['read', 'review'])
  if (principal.capabilities.length < 2)
    throw forbidden('The starter of this run may not review changes of this Brain. Go on without it.')
  return principal
}
