import type { Capability } from '@noema/contracts/access.ts'
import { type Endpoint, onlyReads } from '@noema/contracts/endpoint.ts'
import { z } from 'zod'
import { isJsonObject } from '../../shared/text/json.ts'
import { argumentNames } from '../arguments.ts'
import type { Tool } from './tools.ts'

// The arguments of a tool as JSON Schema: those of the actions that the caller may use, in one flat object. Many clients read
// only a plain object at the top. The description says which arguments belong to which action and which are required, and so does
// the error of a call without them.

type Properties = Record<string, object>
type Schema = { properties: Properties; required: string[] }

// In a query everything is text; a model writes numbers and booleans as such.
const asWritten: Properties = {
  after: { type: 'string', description: 'The cursor of a page; goes on after it' },
  limit: { type: 'integer', minimum: 1, description: 'Most items of the page' },
  change: { type: 'string', description: 'A pending change: read as if it were applied' },
  asOf: { type: 'integer', minimum: 0, description: 'Read as of this stateVersion' },
  version: { type: 'integer', minimum: 0, description: 'A version other than the current one' },
  retracted: { type: 'boolean', description: 'Retracted statements instead of live ones' },
  consumerId: { type: 'string', description: 'Your own name; what you read is kept under it, by address only' },
  idempotencyKey: { type: 'string', description: 'Chosen by you; a repeat with the same key writes nothing twice' },
}

const bounds = ['pattern', 'minLength', 'maxLength', 'maximum', 'maxItems', 'propertyNames'] as const

const listProperties = (schema: z.ZodType | undefined): Schema => {
  if (!schema) return { properties: {}, required: [] }
  const { properties = {}, required = [] } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    // A model reads this list in every conversation, so it has few descriptions and no bounds: an error names those.
    override: ({ jsonSchema }) => {
      for (const name of bounds) delete jsonSchema[name]
      if (!jsonSchema.forModels) delete jsonSchema.description
      delete jsonSchema.forModels
      // A contract would drop an unknown argument; a tool refuses it, so that a model learns of a misspelled name.
      if (jsonSchema.properties !== undefined) jsonSchema.additionalProperties = false
    },
  })
  return { properties: properties as Properties, required }
}

const schemas = new Map<Endpoint, Schema>()

/** The arguments of an action. Made once: a contract does not change while the service runs. */
const findSchema = (endpoint: Endpoint): Schema => {
  const known = schemas.get(endpoint) ?? makeSchema(endpoint)
  schemas.set(endpoint, known)
  return known
}

const makeSchema = (endpoint: Endpoint): Schema => {
  const inPath = argumentNames(endpoint, 'path')
  const [query, body] = [listProperties(endpoint.query), listProperties(endpoint.body)]
  const key = endpoint.idempotencyKey === 'header' ? { idempotencyKey: {} } : {}
  return {
    properties: {
      ...Object.fromEntries(inPath.map((name) => [name, { type: 'string' }])),
      ...query.properties,
      ...body.properties,
      ...key,
    },
    required: [...inPath, ...query.required, ...body.required],
  }
}

/** The argument by which a call names its Brain, if the server has several. */
const brainArgument: Properties = { brain: { type: 'string', description: 'The handle of the Brain' } }

type Shown = { isOfBrain?: true | undefined; isShown: (argument: string) => boolean }

const signature = (name: string, endpoint: Endpoint, { isOfBrain, isShown }: Shown): string => {
  const { properties, required } = findSchema(endpoint)
  const names = Object.keys(properties).filter(isShown)
  const own = names.map((one) => (required.includes(one) ? one : `${one}?`))
  const reported = isOfBrain ? ['brain', ...own] : own
  return `- ${name}(${reported.join(', ')}): ${endpoint.summary}`
}

/** A schema without a property, wherever an object has it. */
const withoutProperty = (schema: unknown, hidden: readonly string[]): unknown => {
  if (Array.isArray(schema)) return schema.map((one) => withoutProperty(one, hidden))
  if (!isJsonObject(schema)) return schema
  return Object.fromEntries(
    Object.entries(schema).map(([name, value]) => {
      if (name !== 'properties' || !isJsonObject(value)) return [name, withoutProperty(value, hidden)]
      const left = Object.entries(value).filter(([property]) => !hidden.includes(property))
      return [name, Object.fromEntries(left.map(([property, inside]) => [property, withoutProperty(inside, hidden)]))]
    }),
  )
}

/**
 * True if a caller with these capabilities may call an endpoint. An endpoint for management keys is only among the tools of an
 * organization, which no one else sees.
 */
const isOpen = ({ access }: Endpoint, held: readonly Capability[]): boolean =>
  access === 'management' ||
  access === 'public' ||
  (typeof access === 'object' && access.capabilities.every((name) => held.includes(name)))

/**
 * A tool in the list for these capabilities; undefined if none of its actions is open to them. `hidden`: arguments, and names
 * inside them, that the server sets in place of the caller.
 */
export const listedTool = (tool: Tool, held: readonly Capability[], hidden: readonly string[] = []) => {
  const open = Object.entries(tool.actions).filter(([, endpoint]) => isOpen(endpoint, held))
  if (open.length === 0) return undefined
  const taken = open.map(([, endpoint]) => findSchema(endpoint))
  const hasActions = Object.keys(tool.actions).length > 1
  const [first = ''] = Object.keys(tool.actions)
  const names = open.map(([name]) => name)
  const action = { type: 'string', enum: names, ...(names.includes(first) ? { default: first } : {}) }
  const merged = Object.assign({}, ...taken.map(({ properties }) => properties)) as Properties
  const shownAs = new Map(Object.entries(tool.named ?? {}).map(([shown, name]) => [name, shown]))
  const toShown = (name: string): string => shownAs.get(name) ?? name
  // Only a reviewer may read with a pending change.
  const left = held.includes('review') ? hidden : [...hidden, 'change']
  const isShown = (name: string): boolean => !left.includes(name)
  const properties = Object.fromEntries(
    Object.entries(merged)
      .filter(([name]) => isShown(name))
      .map(([name, schema]) => [toShown(name), tool.shown?.[name] ?? asWritten[name] ?? schema]),
  )
  const advice = hidden.length === 0 && tool.clientAdvice ? ` ${tool.clientAdvice}` : ''
  const description = tool.description + advice
  return {
    name: tool.name,
    title: tool.title,
    description: hasActions
      ? [
          description,
          'Actions:',
          ...open.map(([name, endpoint]) => signature(name, endpoint, { isOfBrain: tool.isOfBrain, isShown })),
        ].join('\n')
      : description,
    inputSchema: {
      type: 'object' as const,
      properties: {
        ...(hasActions ? { action } : {}),
        ...(tool.isOfBrain ? brainArgument : {}),
        ...(hidden.length === 0 ? properties : (withoutProperty(properties, hidden) as Properties)),
      },
      required: [
        ...(tool.isOfBrain ? Object.keys(brainArgument) : []),
        ...(hasActions ? [] : (taken[0]?.required ?? []).map(toShown)),
      ],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: open.every(([, endpoint]) => onlyReads(endpoint)), openWorldHint: false },
  }
}
