import { isJsonObject } from '../../shared/text/json.ts'

// Unions whose alternatives differ by the value of one field: the alternatives become components, and the union names the field
// (`discriminator`), so that generated clients read one field and know the type.

type Schema = Record<string, unknown>
type Alternative = Schema & { properties: Schema; required: unknown[] }

const pointer = '#/components/schemas/'

const isAlternative = (option: unknown): option is Alternative =>
  isJsonObject(option) && isJsonObject(option.properties) && Array.isArray(option.required)

/** The one text that a field of an alternative always has. */
const findText = ({ properties, required }: Alternative, field: string): string | undefined => {
  const schema = properties[field]
  const text = isJsonObject(schema) && required.includes(field) ? schema.const : undefined
  return typeof text === 'string' ? text : undefined
}

/** The field whose text tells the alternatives apart. */
const findField = (options: readonly Alternative[]): string | undefined =>
  Object.keys(options[0]?.properties ?? {}).find((field) => {
    const texts = options.map((option) => findText(option, field))
    return !texts.includes(undefined) && new Set(texts).size === options.length
  })

const toPascal = (text: string): string =>
  text
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')

/** Makes a component of a schema and returns its name. An equal one is shared, such as by what is sent and what is answered. */
const addComponent = (components: Record<string, Schema>, requested: string, schema: Schema): string => {
  const plain = requested.replace(/Input(?=[A-Z])/, '')
  for (const name of [plain, requested]) {
    components[name] ??= schema
    if (JSON.stringify(components[name]) === JSON.stringify(schema)) return name
  }
  throw new Error(`Two components would be called ${requested}.`)
}

const divide = (components: Record<string, Schema>, name: string, union: Schema): void => {
  const options = [union.oneOf ?? union.anyOf].flat()
  if (options.length < 2 || !options.every(isAlternative)) return
  const field = findField(options)
  if (field === undefined) return
  const mapping = Object.fromEntries(
    options.map((option) => {
      const text = findText(option, field) ?? ''
      const described = { description: `${field} ${text}`, ...option }
      return [text, pointer + addComponent(components, name + toPascal(text), described)]
    }),
  )
  delete union.anyOf
  Object.assign(union, {
    oneOf: Object.values(mapping).map(($ref) => ({ $ref })),
    discriminator: { propertyName: field, mapping },
  })
}

/** Gives the unions among shared schemas their discriminators. */
export const addDiscriminators = (components: Record<string, Schema>): Record<string, Schema> => {
  for (const [name, schema] of Object.entries(components)) {
    divide(components, name, schema)
    for (const [field, inner] of Object.entries(isJsonObject(schema.properties) ? schema.properties : {}))
      if (isJsonObject(inner)) divide(components, name + toPascal(field), inner)
  }
  return Object.fromEntries(Object.entries(components).sort(([a], [b]) => (a < b ? -1 : 1)))
}
