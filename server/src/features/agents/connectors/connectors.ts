import type { AuditAction } from '@noema/contracts/audit.ts'
import {
  type Connector,
  type ConnectorTest,
  type connectorWithTools,
  type createConnector,
  maxConnectors,
  type patchConnector,
} from '@noema/contracts/connectors.ts'
import type { BodyOutput } from '@noema/contracts/endpoint.ts'
import type { z } from 'zod'
import { type Actor, summarizeActor } from '../../../shared/actor.ts'
import type { Clock } from '../../../shared/clock.ts'
import { conflict, invalidArgument, notFound, rateLimited } from '../../../shared/errors.ts'
import { newId } from '../../../shared/ids.ts'
import type { Outbound } from '../../../shared/outbound/outbound.ts'
import type { SecretBox } from '../../../shared/secret-box.ts'
import type { Db, Queryable, Tx } from '../../../storage/database.ts'
import { holdAccess } from '../../accounts/keys/revoking.ts'
import { addAudit, addAuditOfChange } from '../../platform/audit/audit.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import type { OpenShares } from '../../platform/limits/limits.ts'
import { decryptHeaders, encryptHeaders, unreadableHeaders } from './access.ts'
import {
  type ConnectorRow,
  lockConnector,
  lockOtherConnectors,
  removeConnector,
  selectConnectors,
  selectConnectorsWithTools,
  updateTools,
  upsertConnector,
} from './connector-queries.ts'
import { ConnectorFailure } from './mcp-client.ts'
import { askForTools } from './offered-tools.ts'

// Servers of the Model Context Protocol that agents may be given. A connector's headers are kept encrypted, and nothing here
// answers them.

type Deps = { db: Db; clock: Clock; outbound: Outbound; secretBox: SecretBox }
/** A server has this long to list its tools. */
const testSeconds = 30

type Target = { organizationId: string; id: string }

const noSuchConnector = (id: string) => notFound(`This organization has no connector ${JSON.stringify(id)}.`)

const connectorView = (deps: Pick<Deps, 'secretBox'>, organizationId: string, row: ConnectorRow): Connector => {
  const headers = decryptHeaders(deps, organizationId, row)
  return {
    id: row.id,
    name: row.name,
    url: row.url,
    headers: Object.keys(headers ?? {}).sort(),
    problem: headers ? null : unreadableHeaders,
    toolCount: row.toolCount,
    toolsAt: row.toolsAt?.toISOString() ?? null,
    serverVersion: row.serverVersion,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    createdBy: summarizeActor(row.createdBy),
  }
}

const checkPlace = async (tx: Tx, organizationId: string, requested: { id: string; name: string }): Promise<void> => {
  const others = await lockOtherConnectors(tx, organizationId, requested)
  if (others.isNameTaken)
    throw conflict(`There is a connector ${JSON.stringify(requested.name)} already. Choose another name.`, {
      code: 'name_taken',
    })
  if (others.count >= maxConnectors)
    throw conflict(`This organization has ${maxConnectors} connectors, which is the maximum. Delete one first.`, {
      code: 'too_many_connectors',
    })
}

const checkUrl = ({ outbound }: Deps, url: string): Promise<void> => outbound.check(url, { callee: 'connector' })

type Kept = Pick<ConnectorRow, 'name' | 'url'>

/** The audit log's entry of an act on a connector: its address, and never its headers. */
const toAct = (
  { organizationId, id, createdBy }: Target & { createdBy: Actor },
  action: AuditAction,
  name: string,
) => ({
  ...{ organizationId, by: createdBy, action },
  target: { type: 'connector', id, name },
})

/** Keeps a connector. */
export const storeConnector = async (
  deps: Deps,
  { organizationId, createdBy }: { organizationId: string; createdBy: Actor },
  { name, url, headers = {} }: BodyOutput<typeof createConnector>,
): Promise<Connector> => {
  await checkUrl(deps, url)
  const now = deps.clock.now()
  const id = newId('con', now)
  const secret = encryptHeaders(deps.secretBox, { organizationId, id }, headers)
  const row = await deps.db.transaction().execute(async (tx) => {
    await holdAccess(tx, createdBy, { organizationId })
    await checkPlace(tx, organizationId, { id, name })
    const act = toAct({ organizationId, id, createdBy }, 'connector.created', name)
    await addAudit(tx, { ...act, after: { name, url, headers: Object.keys(headers) } }, now)
    return upsertConnector(tx, { organizationId, id, name, url, secret, createdBy, now }, { forgetsTools: false })
  })
  return connectorView(deps, organizationId, row)
}

/** True if two addresses lead to different servers. Some hosts have one server for each path, of different owners. */
const isOtherServer = (one: string, other: string): boolean => {
  const [first, second] = [new URL(one), new URL(other)]
  return first.origin !== second.origin || first.pathname !== second.pathname
}

/** Changes a connector. Its headers never go to another server than the one that they were given for. */
export const changeConnector = async (
  deps: Deps,
  { organizationId, id, createdBy }: Target & { createdBy: Actor },
  { name, url, headers }: BodyOutput<typeof patchConnector>,
): Promise<Connector> => {
  if (url !== undefined) await checkUrl(deps, url)
  const row = await deps.db.transaction().execute(async (tx) => {
    await holdAccess(tx, createdBy, { organizationId })
    const former = await lockConnector(tx, organizationId, id)
    if (!former) throw noSuchConnector(id)
    if (url !== undefined && headers === undefined && former.secret !== null && isOtherServer(url, former.url))
      throw invalidArgument(['headers'], 'The headers were given for another server. Send them again, or null.')
    const next = { id, name: name ?? former.name, url: url ?? former.url }
    if (next.name !== former.name) await checkPlace(tx, organizationId, next)
    const secret =
      headers === undefined ? former.secret : encryptHeaders(deps.secretBox, { organizationId, id }, headers ?? {})
    const forgetsTools = headers !== undefined || next.url !== former.url
    const now = deps.clock.now()
    const toKept = ({ name: called, url: leads }: Kept, isNew: boolean) => ({
      ...{ name: called, url: leads },
      headers: isNew ? 'replaced' : 'kept',
    })
    const act = toAct({ organizationId, id, createdBy }, 'connector.changed', next.name)
    const after = toKept(next, headers !== undefined)
    await addAuditOfChange(tx, { ...act, before: toKept(former, false), after }, now)
    const stored = { ...next, organizationId, secret, createdBy, now }
    return upsertConnector(tx, stored, { forgetsTools })
  })
  return connectorView(deps, organizationId, row)
}

/** A page of an organization's connectors. */
export const listConnectorPage = async (deps: Deps, organizationId: string, page: PageRequest<string>) =>
  (await selectConnectors(deps.db, organizationId, page)).map((row) => connectorView(deps, organizationId, row))

/** Those of some ids that are connectors of an organization, or all of its ids where none are named. */
export const listConnectorIds = async (db: Queryable, organizationId: string): Promise<string[]> =>
  (await selectConnectors(db, organizationId, { after: undefined, limit: maxConnectors, order: 'asc' })).map(
    ({ id }) => id,
  )

const findConnector = async (deps: Deps, { organizationId, id }: Target) => {
  const [row] = await selectConnectorsWithTools(deps.db, organizationId, [id])
  if (!row) throw noSuchConnector(id)
  return row
}

/** A connector with the tools that its server offered last. */
export const readConnector = async (deps: Deps, target: Target): Promise<z.output<typeof connectorWithTools>> => {
  const row = await findConnector(deps, target)
  return { ...connectorView(deps, target.organizationId, row), tools: row.tools }
}

/** Deletes a connector with its headers. */
export const deleteConnector = (deps: Deps, target: Target & { createdBy: Actor }): Promise<void> =>
  deps.db.transaction().execute(async (tx) => {
    const { organizationId, id } = target
    const former = await lockConnector(tx, organizationId, id)
    if (!former || !(await removeConnector(tx, organizationId, id))) throw noSuchConnector(id)
    const { name, url } = former
    await addAudit(tx, { ...toAct(target, 'connector.deleted', name), before: { name, url } }, deps.clock.now())
  })

/** Asks a connector's server for its tools and keeps them. Only so many tests run at once. */
export const testConnector = async (deps: Deps & { open: OpenShares }, target: Target): Promise<ConnectorTest> => {
  const { organizationId, id } = target
  const row = await findConnector(deps, target)
  const headers = decryptHeaders(deps, organizationId, row)
  if (!headers) throw conflict(unreadableHeaders, { code: 'unreadable_secret' })
  const leave = deps.open.take('tests', { organization: organizationId, key: `connector ${id}` })
  const begun = performance.now()
  const toTaken = () => Math.round(performance.now() - begun)
  try {
    const { tools, omitted, serverVersion } = await askForTools(
      deps,
      { organizationId, name: row.name, url: row.url, headers },
      testSeconds,
    )
    await updateTools(deps.db, organizationId, row, { tools, serverVersion, now: deps.clock.now() })
    return { ok: true, error: null, tools, omitted, milliseconds: toTaken() }
  } catch (error) {
    if (!(error instanceof ConnectorFailure)) throw error
    if (error.isPostponed)
      throw rateLimited(`${error.message} Try again soon.`, { code: 'too_many_calls', retryAfterSeconds: 5 })
    return { ok: false, error: error.message, tools: null, omitted: 0, milliseconds: toTaken() }
  } finally {
    leave()
  }
}
