import type { ConnectorTool } from '@noema/contracts/connectors.ts'
import type { Clock } from '../../../shared/clock.ts'
import type { Outbound } from '../../../shared/outbound/outbound.ts'
import type { SecretBox } from '../../../shared/secret-box.ts'
import type { Db } from '../../../storage/database.ts'
import { type ConnectorAccess, decryptHeaders } from './access.ts'
import { type ConnectorRowWithTools, selectConnectorsWithTools, updateTools } from './connector-queries.ts'
import { ConnectorFailure } from './mcp-client.ts'
import { askForTools } from './offered-tools.ts'

/** The last list of tools of a server. */
type Offer = { tools: readonly ConnectorTool[]; serverVersion: string | null }

/** A connector as a run has it: how its server is called, and what it offered last. */
export type OpenedConnector = { id: string; access: ConnectorAccess } & Offer

/** A run waits this long for a server to list its tools. */
const askSeconds = 10

type Deps = { db: Db; clock: Clock; outbound: Outbound; secretBox: SecretBox }

/** The last list of tools of a server. A server that was never asked is asked now; a failure means no tools yet. */
const findOffer = async (deps: Deps, access: ConnectorAccess, row: ConnectorRowWithTools): Promise<Offer> => {
  if (row.tools) return { tools: row.tools, serverVersion: row.serverVersion }
  try {
    const { tools, serverVersion } = await askForTools(deps, access, askSeconds)
    await updateTools(deps.db, access.organizationId, row, { tools, serverVersion, now: deps.clock.now() })
    return { tools, serverVersion }
  } catch (error) {
    if (!(error instanceof ConnectorFailure)) throw error
    return { tools: [], serverVersion: null }
  }
}

/** Opens connectors of an organization, in the order of their ids; undefined for one that is not there or cannot be used. */
export const openConnectors = async (
  deps: Deps,
  organizationId: string,
  ids: readonly string[],
): Promise<(OpenedConnector | undefined)[]> => {
  if (ids.length === 0) return []
  const rows = new Map((await selectConnectorsWithTools(deps.db, organizationId, ids)).map((row) => [row.id, row]))
  return Promise.all(
    ids.map(async (id) => {
      const row = rows.get(id)
      const headers = row && decryptHeaders(deps, organizationId, row)
      if (!row || !headers) return undefined
      const access = { organizationId, name: row.name, url: row.url, headers }
      return { id, access, ...(await findOffer(deps, access, row)) }
    }),
  )
}
