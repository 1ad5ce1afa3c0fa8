import type { EndpointName } from '@noema/contracts/api.ts'
import type { McpEndpointName } from '@noema/contracts/mcp.ts'
import type { OpenAiEndpointName } from '@noema/contracts/openai.ts'
import type { TestApp, TestBrain } from '../app.ts'
import type { Planted } from '../secrets/plant.ts'

/** The callers of an endpoint. A list: the capabilities that a Brain key needs. */
export type Needs =
  | 'nobody'
  | 'any credential'
  | 'session'
  | 'account'
  | 'management'
  | 'administrator'
  | readonly string[]

/** The parts of a call that its endpoint leaves open. */
export type Parts = {
  params?: Record<string, string>
  query?: string
  body?: unknown
  headers?: Record<string, string>
}

/** A call about planted things. An MCP tool takes the same values as its arguments. */
export type Aimed = { params?: Record<string, string>; query?: Record<string, string>; body?: object }

/** One endpoint's row for the tests that walk over all endpoints. */
export type EndpointRow = {
  /** The contract's access, written a second time by hand, so that neither changes alone. */
  needs: Needs
  /** Makes a call that succeeds for anyone who may make it, on things created for that call alone. */
  call: (test: TestApp, brain: TestBrain) => Parts | Promise<Parts>
  /** Makes the calls about the objects of `plant`, whose answers are searched for secrets. */
  aimed: (planted: Planted) => Aimed[]
  /** The call that the reference shows, about spacecraft, if `call` would explain nothing. */
  example?: Parts | EndpointRow['call']
  /** True if its aimed calls come after those of all other endpoints, because they close or delete the Brain. */
  isLast?: true
  /** True if the call ends the organization or account of its caller: `call` then uses another person's. */
  endsCaller?: true
  /** Why a call that changes something leaves no entry in the audit log. */
  unaudited?: string
}

export type DocumentedName = EndpointName | McpEndpointName | OpenAiEndpointName

/** The rows of an area: keys that are no endpoint do not compile. */
export type EndpointRows = Partial<Record<DocumentedName, EndpointRow>>

/** A call without parameters, query and body. */
export const plain = () => ({})

/** One aimed call without parameters, query and body. */
export const asIs = (): Aimed[] => [{}]

type PlantedId = { [Name in keyof Planted]: Planted[Name] extends string ? Name : never }[keyof Planted]

/** One aimed call of the planted thing whose id goes into the path. */
export const at =
  (name: PlantedId, body?: object) =>
  (planted: Planted): Aimed[] => [{ params: { id: planted[name] }, ...(body === undefined ? {} : { body }) }]

/** The path parameters of things that were planted under this id. */
export const planted = { params: { id: 'planted' } }

/** Why writes to a Brain's content are not in the audit log. */
export const inStream = "its change is an event of the Brain's stream, with its author"

/** Why the work of agents is not in the audit log. */
export const inRuns = 'runs and their operations keep who began it'
