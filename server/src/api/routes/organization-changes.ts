import { listOrganizationChanges } from '@noema/contracts/organization-changes.ts'
import { findBrainId } from '../../features/kernel/brains/brain-queries.ts'
import { noSuchBrain } from '../../features/kernel/brains/brains.ts'
import type { ChangePosition } from '../../features/writing/commit/organization-changes-queries.ts'
import { listOrganizationChangePage } from '../../features/writing/review/organization-changes.ts'
import { findActorNames } from '../actor-names.ts'
import type { AppDeps } from '../app-deps.ts'
import { defineBinding } from '../binding.ts'

const toBrainId = async ({ db }: AppDeps, place: Parameters<typeof findBrainId>[1]): Promise<number> => {
  const brainId = await findBrainId(db, place)
  if (brainId === undefined) throw noSuchBrain(place.handle)
  return brainId
}

/** A name, where there is one. */
const named = <Name extends string>(name: Name, value: string | undefined): { [N in Name]?: string } =>
  (value === undefined ? {} : { [name]: value }) as { [N in Name]?: string }

export const organizationChangeBindings = [
  defineBinding(listOrganizationChanges, async (deps, { principal, query }) => {
    const organizationId = principal.organization.id
    const { brain, decision, application, ids } = query
    const brainId =
      brain === undefined
        ? undefined
        : await toBrainId(deps, { organizationId, handle: brain, viewer: principal.viewer })
    const start: ChangePosition = ['', 0]
    const name = `changes ${JSON.stringify({ brainId, decision, application, ids })}`
    const list = { scope: deps.listScope(organizationId), list: name, start }
    const { changes, brainIds, ...page } = await listOrganizationChangePage(
      deps,
      { organizationId, brainId, viewer: principal.viewer },
      { list, query },
    )
    const actors = changes.flatMap(({ stagedByActor, decidedByActor }) =>
      [stagedByActor, decidedByActor].filter((actor) => actor !== undefined),
    )
    const findName = await findActorNames(deps, { organizationId, brainIds }, actors)
    const shown = changes.map((change) => ({
      ...change,
      ...named('stagedByName', findName(change.stagedByActor)),
      ...named('decidedByName', findName(change.decidedByActor)),
    }))
    return { data: { changes: shown, ...page } }
  }),
]
