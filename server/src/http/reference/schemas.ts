import { z } from 'zod'
import { isJsonObject } from '../../shared/text/json.ts'
import { answerSchemas } from './answer-schemas.ts'
import { sharedSchemas } from './shared-schemas.ts'

// JSON Schemas of the contracts. A shared one becomes a component; one that differs between requests and answers becomes two.

export type Schema = Record<string, unknown>

type Name = { id?: string | undefined }

/** The metadata of the contracts with the names of shared schemas. The names belong to this document, not to all of zod. */
class Names extends z.core.$ZodRegistry<Name> {
  override get<S extends z.core.$ZodType>(schema: S): z.core.$replace<Name, S> | undefined {
    const said = { ...z.globalRegistry.get(schema), ...this._map.get(schema) }
    return Object.keys(said).length === 0 ? undefined : (said as z.core.$replace<Name, S>)
  }
}
const metadata = new Names()
for (const [id, schema] of Object.entries({ ...sharedSchemas, ...answerSchemas })) metadata.add(schema, { id })

/** The whole number that a text of a query represents, with its default. */
const findNumber = (schema: z.core.$ZodTypes): Schema | undefined => {
  const { def } = schema._zod
  if (def.type === 'default') {
    const number = findNumber(def.innerType as z.core.$ZodTypes)
    return number && { ...number, default: def.defaultValue }
  }
  if (def.type === 'optional') return findNumber(def.innerType as z.core.$ZodTypes)
  if (def.type !== 'pipe' || def.out._zod.def.type !== 'number') return undefined
  const { $schema, ...number } = z.toJSONSchema(def.out, { target: 'draft-2020-12' })
  return number
}

/** The date-time that a schema takes, also where it answers another text of it. */
const findTime = (schema: z.core.$ZodTypes): { endsInZ: boolean } | undefined => {
  const { def } = schema._zod
  if (def.type === 'pipe' && def.out._zod.def.type === 'transform') return findTime(def.in as z.core.$ZodTypes)
  if (def.type !== 'string' || !('format' in def) || def.format !== 'datetime') return undefined
  return { endsInZ: !('offset' in def && def.offset === true) }
}

const describeTime = (schema: z.core.$ZodTypes, jsonSchema: object, io: 'input' | 'output'): void => {
  const time = findTime(schema)
  if (!time) return
  // The format says the rest, and its pattern would take up a tenth of the document.
  Reflect.deleteProperty(jsonSchema, 'pattern')
  const ending = time.endsInZ && io === 'input' ? { pattern: 'Z$' } : {}
  Object.assign(jsonSchema, { type: 'string', format: 'date-time', ...ending })
}

/** Lets alternatives have more than they declare, as the service does: what is not declared is ignored there too. */
const openAlternatives = ({ anyOf, oneOf }: { anyOf?: unknown; oneOf?: unknown }): void => {
  for (const option of [anyOf, oneOf].flat())
    if (isJsonObject(option) && option.additionalProperties === false) delete option.additionalProperties
}

const replace = (target: object, source: object): void => {
  for (const name of Object.keys(target)) Reflect.deleteProperty(target, name)
  Object.assign(target, source)
}

const makeSchema = (schema: z.ZodType, io: 'input' | 'output', isClosed: boolean): Schema =>
  z.toJSONSchema(schema, {
    io,
    metadata,
    unrepresentable: 'any',
    target: 'draft-2020-12',
    override: ({ zodSchema, jsonSchema }) => {
      const number = findNumber(zodSchema)
      const { description } = jsonSchema
      delete jsonSchema.forModels
      // All names are texts.
      if (JSON.stringify(jsonSchema.propertyNames) === '{"type":"string"}') delete jsonSchema.propertyNames
      if (number) replace(jsonSchema, { ...(description === undefined ? {} : { description }), ...number })
      describeTime(zodSchema, jsonSchema, io)
      if (io === 'input') openAlternatives(jsonSchema)
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
      // An answer may have more than its reader knows: a field that is added later breaks no one.
      if (io === 'output' && !isClosed && jsonSchema.additionalProperties === false)
        delete jsonSchema.additionalProperties
    },
  })

const pointer = '#/components/schemas/'

export type ToSchema = (schema: z.ZodType, io: 'input' | 'output') => Schema

/** The answers that stay closed: their shape is fixed. */
const closed = new Set<z.ZodType>([sharedSchemas.ActivityOperation])

/** Makes schemas that refer to shared ones by `Name` as answered and by `Name:sent` as sent, and gathers those. */
export const createSchemas = () => {
  const components: Record<string, Schema> = {}
  const toSchema: ToSchema = (schema, io) => {
    const ending = io === 'input' ? ':sent' : ''
    const made = makeSchema(schema, io, closed.has(schema))
    const text = JSON.stringify(made).replaceAll(/"#\/\$defs\/(\w+)"/g, `"${pointer}$1${ending}"`)
    const { $schema, $defs = {}, ...rest } = JSON.parse(text)
    for (const [name, { id, ...part }] of Object.entries<Schema>($defs)) components[name + ending] ??= part
    return rest.id === undefined ? rest : referToSelf(components, rest, ending)
  }
  // First, so that a shape that contains one gets the closed one.
  for (const schema of closed) toSchema(schema, 'output')
  return { toSchema, components }
}

/** A shared schema that was asked for by itself. */
const referToSelf = (components: Record<string, Schema>, { id, ...part }: Schema, ending: string): Schema => {
  const name = `${String(id)}${ending}`
  components[name] ??= part
  return { $ref: pointer + name }
}

const sent = /:sent"/g

/** The components that are the same when sent as when answered: they, and all that they refer to. */
const findEqual = (components: Record<string, Schema>): Set<string> => {
  const texts = new Map(Object.entries(components).map(([name, part]) => [name, JSON.stringify(part)]))
  const base = (name: string) => name.replace(/:sent$/, '')
  const equal = new Set(
    [...texts.keys()].filter((name) => {
      const [answered, given] = [texts.get(base(name)), texts.get(`${base(name)}:sent`)]
      return answered === undefined || given === undefined || answered === given.replaceAll(sent, '"')
    }),
  )
  const refersToOther = (name: string) =>
    [...(texts.get(name) ?? '').matchAll(/"#\/components\/schemas\/([\w:]+)"/g)].some(([, ref = '']) => !equal.has(ref))
  for (let size = -1; size !== equal.size; ) {
    size = equal.size
    for (const name of equal)
      if (name.endsWith(':sent') && refersToOther(name)) for (const one of [name, base(name)]) equal.delete(one)
  }
  return equal
}

/** The document with the final names of its components: `NameInput` only where what is sent differs. */
export const nameComponents = <Document extends object>(document: Document, components: Record<string, Schema>) => {
  const equal = findEqual(components)
  const toName = (name: string) => {
    const plain = name.replace(/:sent$/, '')
    return name === plain || equal.has(name) ? plain : `${plain}Input`
  }
  const named = Object.fromEntries(Object.entries(components).map(([name, part]) => [toName(name), part]))
  const sorted = Object.fromEntries(Object.entries(named).sort(([a], [b]) => (a < b ? -1 : 1)))
  const rename = <Part>(part: Part): Part =>
    JSON.parse(
      JSON.stringify(part).replaceAll(
        /"#\/components\/schemas\/([\w:]+)"/g,
        (_all, name) => `"${pointer}${toName(name)}"`,
      ),
    )
  return { document: rename(document), schemas: rename(sorted) }
}
