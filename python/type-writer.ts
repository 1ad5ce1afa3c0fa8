export type Schema = Readonly<{ [key: string]: unknown }>

export const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const listSchemas = (value: unknown): Schema[] => (Array.isArray(value) ? value.filter(isObject) : [])

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** `brain.records.create` is `BrainRecordsCreate`. */
export const toClassName = (text: string): string =>
  text
    .split(/[^A-Za-z0-9]+/)
    .map(capitalize)
    .join('')

const keywords = new Set(['from', 'in', 'is', 'not', 'and', 'or', 'if', 'for', 'def', 'class', 'import', 'with', 'as'])
const isName = (text: string): boolean => /^[A-Za-z_]\w*$/.test(text) && !keywords.has(text)

const toComment = (text: unknown, indent: string): string =>
  typeof text === 'string' && text !== '' ? `${indent}# ${text.replaceAll(/\s+/g, ' ')}\n` : ''

const scalars: Readonly<Record<string, string>> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
}

/** Two shapes are equal if only their own descriptions differ, which belong to their positions. */
const toKey = ({ description: _, ...schema }: Schema): string => JSON.stringify(schema)

const isClass = (schema: Schema): boolean => isObject(schema.properties) && schema.$ref === undefined

/** Writes types as text. Each object without a name gets one from its position; equal ones share one. */
export class TypeWriter {
  readonly #classes = new Map<string, string>()
  readonly #seen = new Map<string, string>()
  /** The classes by their fields as they are written. */
  readonly #fields = new Map<string, string>()

  #freeName(requested: string): string {
    let name = requested
    for (let count = 2; this.#classes.has(name); count++) name = `${requested}${count}`
    return name
  }

  #writeClass(requested: string, schema: Schema): string {
    const key = toKey(schema)
    const known = this.#seen.get(key)
    if (known !== undefined) return known
    const name = this.#freeName(requested)
    this.#seen.set(key, name)
    this.#classes.set(name, '')
    const fields = this.#describeFields(name, schema)
    // Python does not distinguish types that differ only in bounds.
    const equal = this.#fields.get(fields)
    if (equal !== undefined) {
      this.#classes.delete(name)
      this.#seen.set(key, equal)
      return equal
    }
    this.#classes.set(name, this.#asClass(name, schema, fields))
    return name
  }

  #describeFields(name: string, schema: Schema): string {
    const required = new Set(Array.isArray(schema.required) ? schema.required : [])
    const fields = Object.entries(isObject(schema.properties) ? schema.properties : {}).map(([field, value]) => {
      const inner = isObject(value) ? value : {}
      const type = this.#toType(inner, name + toClassName(field))
      return { field, comment: inner.description, type: required.has(field) ? type : `NotRequired[${type}]` }
    })
    if (fields.every(({ field }) => isName(field))) {
      const lines = fields.map(({ field, type, comment }) => `${toComment(comment, '    ')}    ${field}: ${type}\n`)
      return lines.join('') || '    pass\n'
    }
    // In a call, types are not annotations, so later names must be quoted.
    const lines = fields.map(({ field, type }) => `        ${JSON.stringify(field)}: ${this.#quoted(type)},\n`)
    return `    {\n${lines.join('')}    },\n`
  }

  #asClass(name: string, schema: Schema, fields: string): string {
    this.#fields.set(fields, name)
    if (fields.startsWith('    {\n')) return `${name} = TypedDict(\n    "${name}",\n${fields})\n`
    return `class ${name}(TypedDict):\n${toComment(schema.description, '    ')}${fields}`
  }

  #quoted(type: string): string {
    return type.startsWith('NotRequired[') ? `NotRequired[${JSON.stringify(type.slice(12, -1))}]` : JSON.stringify(type)
  }

  #toUnion(types: readonly string[]): string {
    const distinct = [...new Set(types)]
    return distinct.includes('Any') ? 'Any' : `Union[${distinct.join(', ')}]`
  }

  #toObject(schema: Schema, requested: string): string {
    if (isObject(schema.properties) && Object.keys(schema.properties).length > 0)
      return this.#writeClass(requested, schema)
    const values = isObject(schema.additionalProperties)
      ? this.#toType(schema.additionalProperties, `${requested}Value`)
      : 'Any'
    return `Dict[str, ${values}]`
  }

  #toType(schema: Schema, requested: string): string {
    if (typeof schema.$ref === 'string') return schema.$ref.split('/').at(-1) ?? 'Any'
    if ('const' in schema) return this.#toLiteral([schema.const])
    if (Array.isArray(schema.enum)) return this.#toLiteral(schema.enum)
    const variants = listSchemas(schema.anyOf ?? schema.oneOf)
    if (variants.length > 0) return this.#toUnion(variants.map((one) => this.#toType(one, requested)))
    if (Array.isArray(schema.type))
      return this.#toUnion(schema.type.map((type) => this.#toType({ ...schema, type }, requested)))
    if (schema.type === 'array')
      return `List[${isObject(schema.items) ? this.#toItem(schema.items, `${requested}Item`) : 'Any'}]`
    if (schema.type === 'object' || isObject(schema.properties)) return this.#toObject(schema, requested)
    return scalars[String(schema.type)] ?? 'Any'
  }

  /** The items of a list. Those of many forms have a name together. */
  #toItem(items: Schema, requested: string): string {
    if (listSchemas(items.anyOf ?? items.oneOf).length < 3) return this.#toType(items, requested)
    const known = this.#freeName(requested)
    this.name(known, items)
    return known
  }

  #toLiteral(values: readonly unknown[]): string {
    const texts = values.map((value) =>
      value === null ? 'None' : typeof value === 'boolean' ? capitalize(String(value)) : JSON.stringify(value),
    )
    return values.some((value) => typeof value === 'number' && !Number.isInteger(value))
      ? 'float'
      : `Literal[${texts.join(', ')}]`
  }

  /** Reserves the name of a shape that is written later, so that an earlier equal shape uses it. */
  reserve(requested: string, schema: Schema): void {
    if (isClass(schema) && !this.#seen.has(toKey(schema))) this.#seen.set(toKey(schema), requested)
  }

  /** Writes a shape under its own name: as a class where it is an object of a new shape, else as an alias. */
  name(requested: string, schema: Schema): void {
    this.reserve(requested, schema)
    const known = isClass(schema) ? this.#seen.get(toKey(schema)) : undefined
    if (known === requested)
      this.#classes.set(requested, this.#asClass(requested, schema, this.#describeFields(requested, schema)))
    else if (known !== undefined)
      this.#classes.set(requested, `${toComment(schema.description, '')}${requested} = ${this.#asAlias(known)}\n`)
    else {
      this.#classes.set(requested, '')
      this.#classes.set(
        requested,
        `${toComment(schema.description, '')}${requested} = ${this.#asAlias(this.#toType(schema, requested))}\n`,
      )
    }
  }

  #asAlias(type: string): string {
    return `Union[${JSON.stringify(type)}]`
  }

  text(): string {
    return [...this.#classes.values()].join('\n\n')
  }
}
