import { packFile, toPackSchema } from '@noema/contracts/pack-files.ts'
import { deletePack, getPack, getPackSchema, installPack, listPacks, putPack } from '@noema/contracts/packs.ts'
import { findCaps } from '../../access/limits.ts'
import { findPack, listPacks as listAll, packView } from '../../features/agents/packs/find-pack.ts'
import * as own from '../../features/agents/packs/own-packs.ts'
import * as packs from '../../features/agents/packs/packs.ts'
import { defineBinding } from '../binding.ts'
import { parseWith } from '../parse.ts'
import { checkPackName } from '../path-arguments.ts'

export const packBindings = [
  defineBinding(listPacks, async (deps, { principal }) => ({
    data: { packs: await listAll(deps.db, principal.organization.id) },
  })),
  defineBinding(getPack, async (deps, { principal, params, query: { version } }) => {
    const place = { organizationId: principal.organization.id, name: params.name, version }
    const found = await findPack(deps.db, place)
    return { data: { pack: packView(found), file: found.file } }
  }),
  defineBinding(putPack, async (deps, { principal, params, body }) => {
    const place = { organizationId: principal.organization.id, name: checkPackName(params.name), by: principal.actor }
    const { pack, created } = await own.storePack(deps, place, parseWith(packFile, body, ['body']))
    return { outcome: created ? 'created' : 'done', data: { pack } }
  }),
  defineBinding(deletePack, async (deps, { principal, params }) => {
    await own.deletePack(deps, { organizationId: principal.organization.id, name: params.name, by: principal.actor })
    return { data: { deleted: true } }
  }),
  defineBinding(getPackSchema, async () => ({ data: { schema: toPackSchema() } })),
  defineBinding(installPack, async (deps, { principal, params, body }) => {
    const { organization, actor } = principal
    const installer = {
      organizationId: organization.id,
      actor,
      viewer: principal.viewer,
      caps: findCaps(deps.limits, organization),
    }
    return { data: { installed: await packs.installPack(deps, installer, { name: params.name, ...body }) } }
  }),
]
