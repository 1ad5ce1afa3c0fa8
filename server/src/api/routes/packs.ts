import { getPack, installPack, listPacks } from '@noema/contracts/packs.ts'
import { findCaps } from '../../access/limits.ts'
import * as packs from '../../features/agents/packs/packs.ts'
import { defineBinding } from '../binding.ts'

export const packBindings = [
  defineBinding(listPacks, async () => ({ data: { packs: packs.listPacks() } })),
  defineBinding(getPack, async (_deps, { params }) => ({ data: { pack: packs.readPack(params.name) } })),
  defineBinding(installPack, async (deps, { principal, params, body }) => {
    const { organization, actor } = principal
    const installer = { organizationId: organization.id, actor, caps: findCaps(deps.limits, organization) }
    return { data: { installed: await packs.installPack(deps, installer, params.name, body) } }
  }),
]
