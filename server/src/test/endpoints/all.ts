import { endpoints } from '@noema/contracts/api.ts'
import { type Endpoint, onlyReads } from '@noema/contracts/endpoint.ts'
import { mcpEndpoints } from '@noema/contracts/mcp.ts'
import { openAiEndpoints } from '@noema/contracts/openai.ts'
import { administrationRows } from './administration.ts'
import { agentsRows } from './agents.ts'
import { artifactsRows } from './artifacts.ts'
import { automationsRows } from './automations.ts'
import { brainsRows } from './brains.ts'
import { changesRows } from './changes.ts'
import { corporaRows } from './corpora.ts'
import { derivedPagesRows } from './derived-pages.ts'
import { distillationsRows } from './distillations.ts'
import { documentsRows } from './documents.ts'
import { evalsRows } from './evals.ts'
import { flowRows } from './flows.ts'
import { goalRows } from './goals.ts'
import { openAiRows } from './openai.ts'
import { organizationRows } from './organization.ts'
import { readingRows } from './reading.ts'
import { recordsRows } from './records.ts'
import type { DocumentedName, EndpointRow } from './row.ts'
import { runsRows } from './runs.ts'
import { schemasRows } from './schemas.ts'
import { skillsRows } from './skills.ts'
import { statementsRows } from './statements.ts'
import { webSourcesRows } from './web-sources.ts'
import { webhooksRows } from './webhooks.ts'

// One row for each endpoint, MCP included. An endpoint without a row does not compile.

export const endpointRows: Readonly<Record<DocumentedName, EndpointRow>> = {
  ...recordsRows,
  ...statementsRows,
  ...documentsRows,
  ...webSourcesRows,
  ...skillsRows,
  ...schemasRows,
  ...readingRows,
  ...corporaRows,
  ...evalsRows,
  ...goalRows,
  ...flowRows,
  ...distillationsRows,
  ...derivedPagesRows,
  ...changesRows,
  ...webhooksRows,
  ...brainsRows,
  ...organizationRows,
  ...administrationRows,
  ...agentsRows,
  ...automationsRows,
  ...artifactsRows,
  ...runsRows,
  ...openAiRows,
}

export type NamedEndpoint = { name: DocumentedName; endpoint: Endpoint }

/** Every endpoint with its name, MCP included. */
export const allEndpoints: readonly NamedEndpoint[] = [...endpoints, ...mcpEndpoints, ...openAiEndpoints]

const rank = ({ name, endpoint }: NamedEndpoint): number => {
  if (endpointRows[name].isLast) return 3
  if (endpoint.method === 'DELETE') return 2
  return onlyReads(endpoint) ? 0 : 1
}

/** Every endpoint in the order of its aimed calls: those that read, those that write, those that delete. */
export const inAimedOrder: readonly NamedEndpoint[] = Object.keys(endpointRows)
  .flatMap((name) => allEndpoints.filter((one) => one.name === name))
  .sort((one, other) => rank(one) - rank(other))

/** The endpoints that end the organization or account of their caller. */
export const endsCaller: readonly string[] = allEndpoints
  .filter(({ name }) => endpointRows[name].endsCaller)
  .map(({ name }) => name)
