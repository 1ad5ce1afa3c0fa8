import { getOrganization } from '@noema/contracts/organization.ts'
import { findCaps, findRates } from '../../access/limits.ts'
import type { Organization as OrganizationOfCaller } from '../../access/organization.ts'
import { findRole } from '../../features/accounts/auth/account-queries.ts'
import { readOrganization } from '../../features/accounts/organizations/organizations.ts'
import { countRunsToday } from '../../features/agents/runs/start-queries.ts'
import { readArtifactUsage } from '../../features/files/artifacts/artifacts.ts'
import { endOfDay } from '../../features/kernel/usage/usage.ts'
import { countBrains, selectUsage } from '../../features/kernel/usage/usage-queries.ts'
import type { AppDeps } from '../app-deps.ts'
import { defineBinding } from '../binding.ts'

/** The caps of the caller's organization, and its use of them. */
const readLimits = async (deps: AppDeps, organization: OrganizationOfCaller) => {
  const { db } = deps
  const now = deps.clock.now()
  const { id, tier, verified } = organization
  const caps = findCaps(deps.limits, organization)
  const [brains, { writes, bytes }, runs, files] = await Promise.all([
    countBrains(db, id),
    selectUsage(db, id, now),
    countRunsToday(db, id, now),
    readArtifactUsage(db, id, now),
  ])
  return {
    tier,
    confirmed: verified,
    brains: { used: brains, max: caps?.brains ?? null },
    writesToday: { used: writes, max: caps?.dailyWrites ?? null },
    bytesToday: { used: bytes, max: caps?.dailyBytes ?? null },
    runsToday: { used: runs, max: caps?.dailyRuns ?? null },
    fileBytes: { used: files.bytes, max: caps?.fileBytes ?? null },
    resetsAt: endOfDay(now).toISOString(),
    rates: findRates(deps.limits, organization),
  }
}

export const organizationBindings = [
  defineBinding(getOrganization, async (deps, { principal }) => {
    const { organization, userId } = principal
    const [names, role, limits] = await Promise.all([
      readOrganization(deps.db, organization.id),
      findRole(deps.db, organization.id, userId),
      readLimits(deps, organization),
    ])
    return { data: { organization: { ...names, role: role ?? null, limits } } }
  }),
]
