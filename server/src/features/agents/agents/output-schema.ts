import { createContext, Script } from 'node:vm'
import { maxOutputSchemaBytes } from '@noema/contracts/agents.ts'
import { isObject } from '@noema/contracts/json.ts'
import { z } from 'zod'
import { type ErrorDetail, invalidArgument, type Path } from '../../../shared/errors.ts'
import { listMissing, type TextsRequest } from '../../../shared/text/has-text.ts'

// The JSON Schema that a run's output must meet. Only what can be checked is taken, and checking has a limit of time: a schema
// comes from a tenant, and so may its patterns that never end.

export type Schema = { readonly [name: string]: unknown }

const maxDepth = 32
const maxSchemas = 2_000
const maxCheckMilliseconds = 100
/** A check that ended at the limit has worked that long, minus the error of the measurement. */
const workedShare = 0.9

/** Keywords that say nothing about the value. */
const notes = ['$schema', '$comment', 'title', 'description', 'default', 'examples', 'deprecated']

const type = z.enum(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'])
const count = z.int().min(0).optional()
const number = z.number().optional()
const text = z.string().optional()

/** The keywords that are rules themselves, and what each is. */
const ruleValues = z.object({
  type: z.union([type, z.array(type).min(1)]).optional(),
  enum: z.array(z.unknown()).min(1).optional(),
  const: z.unknown().optional(),
  required: z.array(z.string()).optional(),
  ...{
    minProperties: count,
    maxProperties: count,
    minItems: count,
    maxItems: count,
    minLength: count,
    maxLength: count,
  },
  uniqueItems: z.boolean().optional(),
  ...{ minimum: number, maximum: number, exclusiveMinimum: number, exclusiveMaximum: number },
  multipleOf: z.number().positive().optional(),
  ...{ pattern: text, format: text, $ref: text },
})
const rules = Object.keys(ruleValues.shape)

/** Keywords that hold a schema, a list of schemas, and schemas by name. */
const inner = ['items', 'additionalProperties']
const lists = ['anyOf', 'oneOf', 'allOf', 'prefixItems']
const named = ['properties', '$defs']
const known = [...notes, ...rules, ...inner, ...lists, ...named]
/**
 * One of these sets the type of a value. Without one, values that are neither objects nor texts would pass the rules about them.
 */
const kinds = ['type', 'enum', 'const', '$ref', 'anyOf', 'oneOf', 'allOf']

type Walk = { count: number; root: Schema }

const refuse = (path: Path, message: string) => invalidArgument(['outputSchema', ...path], message)

const definitionPattern = /^#\/\$defs\/([^/~%]+)$/

/** The schema that a reference names: one of the root's $defs. */
const findReferred = ({ root }: Walk, reference: unknown): unknown => {
  if (typeof reference !== 'string') return undefined
  const name = definitionPattern.exec(reference)?.[1]
  return name !== undefined && isObject(root.$defs) && Object.hasOwn(root.$defs, name) ? root.$defs[name] : undefined
}

/** The schemas inside this one, by keyword, with their paths. */
const findInner = (schema: Schema): { path: Path; value: unknown }[] => [
  ...inner.filter((keyword) => keyword in schema).map((keyword) => ({ path: [keyword], value: schema[keyword] })),
  ...lists.flatMap((keyword) => {
    const list = schema[keyword]
    return Array.isArray(list) ? list.map((value, index) => ({ path: [keyword, index], value })) : []
  }),
  ...named.flatMap((keyword) => {
    const group = schema[keyword]
    return isObject(group) ? Object.entries(group).map(([name, value]) => ({ path: [keyword, name], value })) : []
  }),
]

const checkKeywords = (walk: Walk, schema: Schema, path: Path): void => {
  const unknown = Object.keys(schema).find((keyword) => !known.includes(keyword))
  if (unknown !== undefined)
    throw refuse([...path, unknown], `This keyword cannot be checked. Known are ${known.join(', ')}.`)
  const issue = ruleValues.safeParse(schema).error?.issues[0]
  if (issue) throw refuse([...path, ...issue.path.map(String)], `This is no value of the keyword: ${issue.message}.`)
  for (const keyword of lists)
    if (keyword in schema && !(Array.isArray(schema[keyword]) && schema[keyword].length > 0))
      throw refuse([...path, keyword], `${keyword} is a list of schemas.`)
  for (const keyword of named)
    if (keyword in schema && !isObject(schema[keyword]))
      throw refuse([...path, keyword], `${keyword} has schemas by name.`)
  if (path.length > 0 && '$defs' in schema) throw refuse([...path, '$defs'], '$defs may be at the root only.')
  if (!kinds.some((keyword) => keyword in schema) && Object.keys(schema).some((keyword) => !notes.includes(keyword)))
    throw refuse(path, `Say what the value is by one of ${kinds.join(', ')}.`)
  if ('$ref' in schema && findReferred(walk, schema.$ref) === undefined)
    throw refuse([...path, '$ref'], 'A reference names one of the root’s $defs, such as #/$defs/person.')
}

const checkPart = (walk: Walk, schema: unknown, path: Path, depth: number): void => {
  if (typeof schema === 'boolean' && path.at(-1) === 'additionalProperties') return
  if (!isObject(schema)) throw refuse(path, 'A schema is an object.')
  if (depth > maxDepth) throw refuse(path, `A schema is at most ${maxDepth} levels deep.`)
  walk.count++
  if (walk.count > maxSchemas) throw refuse(path, `A schema has at most ${maxSchemas} schemas in it.`)
  checkKeywords(walk, schema, path)
  for (const part of findInner(schema)) checkPart(walk, part.value, [...path, ...part.path], depth + 1)
}

/** Refuses a schema that leads back to itself without a step into the value: no value could ever be checked by it. */
const checkEnds = (walk: Walk, schema: unknown, open: Set<unknown>, done: Set<unknown>): void => {
  if (!isObject(schema) || done.has(schema)) return
  if (open.has(schema)) throw refuse(['$defs'], 'A reference leads back to itself without a step into the value.')
  open.add(schema)
  const next = [findReferred(walk, schema.$ref), schema.anyOf, schema.oneOf, schema.allOf].flat()
  for (const one of next) checkEnds(walk, one, open, done)
  open.delete(schema)
  done.add(schema)
}

const context = createContext({ run: undefined })
const script = new Script('run()')

const isTimeout = (error: unknown): boolean =>
  isObject(error) && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'

/** The time that this thread was given of a processor so far. */
const readWorkedMilliseconds = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/**
 * Runs something on this thread for so long at most; undefined where it took longer or failed. The limit is of time that the
 * thread worked: where others have the processor it is waited for longer, so that a right schema is never refused for that.
 */
const runBriefly = <Result>(run: () => Result, maxMilliseconds: number): { result: Result } | undefined => {
  let result: { result: Result } | undefined
  context.run = () => {
    result = { result: run() }
  }
  const begun = readWorkedMilliseconds()
  try {
    for (let left = maxMilliseconds; left > (1 - workedShare) * maxMilliseconds; ) {
      try {
        script.runInContext(context, { timeout: Math.ceil(left) })
        return result
      } catch (error) {
        if (!isTimeout(error)) return undefined
        left = maxMilliseconds - (readWorkedMilliseconds() - begun)
      }
    }
    return undefined
  } finally {
    context.run = undefined
  }
}

const mapValues = (group: Schema, map: (value: unknown) => unknown): Schema =>
  Object.fromEntries(Object.entries(group).map(([name, value]) => [name, map(value)]))

const isList = ({ type }: Schema): boolean => [type].flat().includes('array')

/** The schemas of the required properties that have none: that of further ones. */
const declareRequired = ({ required, properties = {}, additionalProperties = {} }: Schema): Schema => {
  if (!Array.isArray(required) || !isObject(properties)) return {}
  const further = isObject(additionalProperties) || additionalProperties === false ? additionalProperties : {}
  const missing = required.filter((name) => !Object.hasOwn(properties, name)).map((name) => [name, further])
  return missing.length === 0 ? {} : { properties: { ...properties, ...Object.fromEntries(missing) } }
}

/** A schema with the schemas that it leaves out: zod skips `required` of a property, and the rules of a list, without one. */
const complete = (schema: unknown): unknown => {
  if (!isObject(schema)) return schema
  const whole: Schema = { ...schema, ...declareRequired(schema), ...(isList(schema) && { items: schema.items ?? {} }) }
  const parts = Object.entries(whole).map(([keyword, value]): [string, unknown] => {
    if (inner.includes(keyword)) return [keyword, complete(value)]
    if (lists.includes(keyword) && Array.isArray(value)) return [keyword, value.map(complete)]
    return [keyword, named.includes(keyword) && isObject(value) ? mapValues(value, complete) : value]
  })
  return Object.fromEntries(parts)
}

const toChecker = (schema: Schema) =>
  z.fromJSONSchema(structuredClone(complete(schema)) as z.core.JSONSchema.JSONSchema)

/** Refuses an outputSchema that no output could be checked by, and says why. */
export const checkOutputSchema = (schema: Schema): void => {
  if (Buffer.byteLength(JSON.stringify(schema)) > maxOutputSchemaBytes)
    throw refuse([], `outputSchema has at most ${maxOutputSchemaBytes / 1024} KiB of JSON text.`)
  if (schema.type !== 'object') throw refuse(['type'], 'An output is an object: say "type": "object".')
  const walk = { count: 0, root: schema }
  checkPart(walk, schema, [], 0)
  const done = new Set()
  for (const part of [schema, ...(isObject(schema.$defs) ? Object.values(schema.$defs) : [])])
    checkEnds(walk, part, new Set(), done)
  if (!runBriefly(() => toChecker(schema), maxCheckMilliseconds))
    throw refuse(
      [],
      'outputSchema is not a JSON Schema that can be checked. See that each keyword has a value of its kind.',
    )
}

/** The problems of an output by its schema: none if it fits. The schema was checked when it was written. */
export const findOutputProblems = (schema: Schema, output: unknown): ErrorDetail[] => {
  const { error } = toChecker(schema).safeParse(output)
  return (error?.issues ?? []).slice(0, 20).map(({ path, message }) => ({
    path: path.map((part) => (typeof part === 'number' ? part : String(part))),
    message,
  }))
}

/** The output in an answer, if it fits the schema, or what is wrong with it. */
type CheckedOutput = { output: unknown } | { problem: string }

const toJsonText = (text: string): string => /^\s*```(?:json)?\s*\n([\s\S]*?)\n?```\s*$/.exec(text)?.[1] ?? text

const readOutput = (schema: Schema, text: string): CheckedOutput => {
  let output: unknown
  try {
    output = JSON.parse(toJsonText(text))
  } catch {
    return { problem: 'It is not JSON.' }
  }
  const problems = findOutputProblems(schema, output)
  if (problems.length === 0) return { output }
  return {
    problem: problems
      .map(({ path, message }) => (path.length === 0 ? message : `${path.join('.')}: ${message}`))
      .join('\n'),
  }
}

/** The problem of a pattern that no text can be matched by; undefined if there is none. */
export const findPatternProblem = (pattern: string): string | undefined => {
  try {
    new RegExp(pattern, 'u')
    return undefined
  } catch (error) {
    return `This is no regular expression: ${error instanceof Error ? error.message : 'it cannot be read'}.`
  }
}

/** A pattern of a tenant, and the text to find it in. */
export type MatchRequest = { pattern: string; ignoreCase: boolean; text: string }

/** Finds a pattern of a tenant on this thread; undefined if that took too long. */
export const findPattern = ({ pattern, ignoreCase, text }: MatchRequest): boolean | undefined =>
  runBriefly(() => new RegExp(pattern, ignoreCase ? 'iu' : 'u').test(text), maxCheckMilliseconds)?.result

/** Lists the texts of a tenant that another one does not have, by their indexes; undefined if that took too long. */
export const findMissing = (request: TextsRequest): number[] | undefined =>
  runBriefly(() => listMissing(request), maxCheckMilliseconds)?.result

/** The answer of a run's model, and how long it may be checked. */
export type OutputRequest = { schema: Schema; text: string; milliseconds: number }

/** An answer as it was checked, undefined if that took too long, and how long it took. */
export type OutputCheck = { checked: CheckedOutput | undefined; milliseconds: number }

/** Checks an answer on this thread. A pattern of a tenant may take all the time that there is. */
export const checkOutput = ({ schema, text, milliseconds }: OutputRequest): OutputCheck => {
  const begun = readWorkedMilliseconds()
  const checked = runBriefly(() => readOutput(schema, text), milliseconds)?.result
  return { checked, milliseconds: readWorkedMilliseconds() - begun }
}
