import { isJsonObject } from '../../shared/text/json.ts'
import type { Schema } from './schemas.ts'
import { accountTexts } from './texts/accounts.ts'
import { agentTexts } from './texts/agents.ts'
import { changeTexts } from './texts/changes.ts'
import { deliveryTexts } from './texts/delivery.ts'
import { knowledgeTexts } from './texts/knowledge.ts'
import { readingTexts } from './texts/reading.ts'
import { schemaTexts } from './texts/schemas.ts'

// Descriptions of properties. One word means one thing everywhere, so most are told by name alone.

export const textSources = [
  knowledgeTexts,
  changeTexts,
  schemaTexts,
  readingTexts,
  deliveryTexts,
  agentTexts,
  accountTexts,
]
const texts: Record<string, string> = Object.assign({}, ...textSources)

const findText = (names: readonly string[], property: string): string | undefined =>
  [...names.map((name) => `${name}.${property}`), property]
    .map((name) => texts[name])
    .find((text) => text !== undefined)

/**
 * A schema whose properties are all described: by the contract, or by name. `owner` is the component or operation that it
 * belongs to, `parent` the property that it stands in.
 */
export const describeProperties = (schema: unknown, owner: string, parent = ''): unknown => {
  if (Array.isArray(schema)) return schema.map((one) => describeProperties(one, owner, parent))
  if (!isJsonObject(schema)) return schema
  return Object.fromEntries(
    Object.entries(schema).map(([name, value]) => {
      if (name === 'enum' || name === 'const' || name === 'examples' || name === 'default') return [name, value]
      if (name !== 'properties' || !isJsonObject(value)) return [name, describeProperties(value, owner, parent)]
      return [name, describeAll(value, owner, parent)]
    }),
  )
}

const describeAll = (properties: Schema, owner: string, parent: string) =>
  Object.fromEntries(
    Object.entries(properties).map(([name, property]) => {
      const inside = describeProperties(property, owner, name) as Schema
      const text = findText([owner, parent].filter(Boolean), name)
      return [name, inside.description === undefined && text !== undefined ? { description: text, ...inside } : inside]
    }),
  )
