import {
  changeWebPages,
  deleteWebSource,
  getWebSource,
  listWebSources,
  putWebSource,
  refreshWebSource,
} from '@noema/contracts/web-sources.ts'
import { findCaps } from '../../access/limits.ts'
import type { BrainPrincipal, ManagerPrincipal } from '../../access/principal.ts'
import * as webSources from '../../features/files/web-sources/web-sources.ts'
import type { BrainRow } from '../../features/kernel/brains/brain-queries.ts'
import type { AppDeps } from '../app-deps.ts'
import { defineBinding } from '../binding.ts'
import { checkSource } from '../path-arguments.ts'

type Call = { principal: (ManagerPrincipal | BrainPrincipal) & { brain: BrainRow }; params: { source: string } }

const toActing = ({ principal, params }: Call) => ({
  ...{ brain: principal.brain, by: principal.actor, source: checkSource(params.source) },
})

const toSetting = (deps: AppDeps, call: Call) => ({
  ...toActing(call),
  caps: findCaps(deps.limits, call.principal.organization),
})

export const webSourceBindings = [
  defineBinding(putWebSource, async (deps, call) => ({
    data: { webSource: await webSources.putSource(deps, toSetting(deps, call), call.body) },
  })),
  defineBinding(changeWebPages, async (deps, call) => ({
    data: { webSource: await webSources.changePages(deps, toSetting(deps, call), call.body) },
  })),
  defineBinding(refreshWebSource, async (deps, call) => ({
    data: { webSource: await webSources.refreshSource(deps, toActing(call)) },
  })),
  defineBinding(deleteWebSource, async (deps, call) => {
    await webSources.deleteSource(deps, toActing(call))
    return { data: { deleted: true } }
  }),
  defineBinding(getWebSource, async (deps, { principal, params, query }) => ({
    data: await webSources.readSource(deps, principal.brain, checkSource(params.source), query),
  })),
  defineBinding(listWebSources, async (deps, { principal, query }) => ({
    data: await webSources.listSourcePage(deps, principal.brain, query),
  })),
]
