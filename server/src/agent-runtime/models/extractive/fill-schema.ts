import { isObject } from '@noema/contracts/json.ts'
import { toPlace } from './answer.ts'
import { chooseQuotes, maxQuotes, type Quote, type Sentence } from './choose-quotes.ts'
import { findLiterals, findNamedText, findValue, listAbout, type Requested, toWords } from './find-value.ts'
import { MissingEvidence } from './missing-evidence.ts'

// An output by an agent's schema, filled only with what was found. A field that nothing says is left out or null where the
// schema lets it be, and otherwise ends the run.

type Schema = { readonly [name: string]: unknown }

/** The findings, the schema's definitions, the used findings, and the remaining number of searches. */
type Filling = {
  sentences: readonly Sentence[]
  best: readonly Quote[]
  definitions: Schema
  used: Set<Quote>
  left: number
}

/** A value, or the paths of what is required and nothing says. */
type Filled = { value: unknown } | { missing: string[] }

/** The schema of a field, and the names that lead to it. */
type Field = { schema: Schema; path: readonly string[] }

/** The limits of fields, of words of lists, and of the sentences searched for them: the work is their product. */
const maxFields = 500
const maxSentences = 300
const maxDepth = 5
const maxItems = 100
/** Fields are filled from sentences with this share of the best score: what fits the question less is about something else. */
const minShare = 0.4

/** Fields that hold what was said, word for word, rather than a value; and fields that hold where it was said. */
const quoteNames = /^(?:answers?|quotes?|quotations?|texts?|excerpts?|passages?|evidence|sentences?|summary)$/
const placeNames = /^(?:sources?|citations?|references?)$/

const lack = ({ path }: Field): Filled => ({ missing: [path.join('.')] })

const toLabel = ({ path }: Field): string => path.map(toWords).join(' ')
const findName = ({ path }: Field): string => toWords(path.at(-1) ?? '')

const resolve = ({ definitions }: Filling, schema: unknown): Schema => {
  let one = schema
  for (let steps = 0; isObject(one) && typeof one.$ref === 'string'; steps++) {
    const name = one.$ref.replace('#/$defs/', '')
    one = steps < maxDepth && Object.hasOwn(definitions, name) ? definitions[name] : undefined
  }
  return isObject(one) ? one : {}
}

const toRequested = (schema: Schema, type: unknown): Requested | undefined => {
  if (Array.isArray(schema.enum)) return { kind: 'enum', values: schema.enum }
  if (type === 'string' && (schema.format === 'date' || schema.format === 'date-time')) return { kind: schema.format }
  return type === 'string' || type === 'number' || type === 'integer' || type === 'boolean' ? { kind: type } : undefined
}

const useQuotes = <Value>({ used }: Filling, quotes: readonly Quote[], value: Value): Filled => {
  for (const quote of quotes) used.add(quote)
  return { value }
}

const fillScalar = (filling: Filling, field: Field, requested: Requested): Filled => {
  const found = findValue(filling.sentences, toLabel(field), requested)
  if (found) return useQuotes(filling, [found.quote], found.value)
  const isQuote = requested.kind === 'string' && quoteNames.test(findName(field)) && filling.best.length > 0
  return isQuote ? useQuotes(filling, filling.best, filling.best.map(({ text }) => text).join('\n')) : lack(field)
}

const toAddress = ({ text, from }: Quote): Schema => {
  const { brain, type, id, version, title } = from
  return { ...(brain === undefined ? {} : { brain, handle: brain }), type, id, version, title, quote: text, text }
}

/** Quotes as objects, if the schema asks only for their words and sources. */
const fillAddresses = (filling: Filling, field: Field, items: Schema): Filled => {
  const requested = isObject(items.properties) ? Object.keys(items.properties) : []
  const required = Array.isArray(items.required) ? items.required : []
  const known = filling.best.map(toAddress)
  if (requested.length === 0 || known.some((one) => required.some((name) => !(name in one)))) return lack(field)
  const objects = known.map((one) =>
    Object.fromEntries(requested.filter((name) => name in one).map((name) => [name, one[name]])),
  )
  const unique = [...new Map(objects.map((one) => [JSON.stringify(one), one])).values()]
  return unique.some((one) => Object.keys(one).length > 0) ? useQuotes(filling, filling.best, unique) : lack(field)
}

/** The values of one type that sentences about a field hold, each once. */
const fillLiterals = (filling: Filling, field: Field, requested: Requested): Filled => {
  const about = listAbout(filling.sentences, toLabel(field)).flatMap((quote) =>
    findLiterals(quote.text, requested).map(({ value }) => ({ value, quote })),
  )
  const values = [...new Set(about.map(({ value }) => value))].slice(0, maxItems)
  return values.length === 0
    ? lack(field)
    : useQuotes(
        filling,
        about.map(({ quote }) => quote),
        values,
      )
}

const fillTexts = (filling: Filling, field: Field): Filled => {
  const named = findNamedText(filling.sentences, toLabel(field))
  if (named) return useQuotes(filling, [named.quote], named.value.split(', ').slice(0, maxItems))
  if (filling.best.length === 0) return lack(field)
  if (placeNames.test(findName(field)))
    return useQuotes(filling, filling.best, [...new Set(filling.best.map(({ from }) => toPlace(from)))])
  const about = listAbout(filling.sentences, toLabel(field)).slice(0, maxQuotes)
  const quotes = quoteNames.test(findName(field)) ? filling.best : about
  return quotes.length === 0
    ? lack(field)
    : useQuotes(
        filling,
        quotes,
        quotes.map(({ text }) => text),
      )
}

const fillArray = (filling: Filling, field: Field): Filled => {
  const items = resolve(filling, field.schema.items)
  if (items.type === 'object') return fillAddresses(filling, field, items)
  const requested = toRequested(items, items.type)
  if (requested === undefined) return lack(field)
  return requested.kind === 'string' ? fillTexts(filling, field) : fillLiterals(filling, field, requested)
}

const fillObject = (filling: Filling, { schema, path }: Field): Filled => {
  const properties = isObject(schema.properties) ? schema.properties : {}
  const required = Array.isArray(schema.required) ? schema.required : []
  const entries: [string, unknown][] = []
  const missing: string[] = required
    .filter((name) => typeof name === 'string' && !Object.hasOwn(properties, name))
    .map((name) => [...path, name].join('.'))
  for (const [name, inner] of Object.entries(properties)) {
    const filled = fill(filling, { schema: resolve(filling, inner), path: [...path, name] })
    if ('value' in filled) entries.push([name, filled.value])
    else if (required.includes(name)) missing.push(...filled.missing)
  }
  if (missing.length > 0) return { missing }
  return entries.length > 0 || path.length === 0 ? { value: Object.fromEntries(entries) } : lack({ schema, path })
}

/** The first of several schemas that something fills; null where only that is left. */
const fillFirst = (filling: Filling, fields: readonly Field[]): Filled => {
  let missing: Filled | undefined
  let isNullable = false
  for (const field of fields) {
    if (field.schema.type === 'null') isNullable = true
    else {
      const filled = fill(filling, field)
      if ('value' in filled && filled.value !== null) return filled
      if ('value' in filled) isNullable = true
      else missing ??= filled
    }
  }
  return isNullable ? { value: null } : (missing ?? { missing: [] })
}

const fill = (filling: Filling, field: Field): Filled => {
  const { schema, path } = field
  if (path.length > maxDepth || filling.left <= 0) return lack(field)
  filling.left -= Array.isArray(schema.enum) ? schema.enum.length : 1
  if ('const' in schema) return { value: schema.const }
  const branches = [schema.anyOf, schema.oneOf].find((list) => Array.isArray(list))
  if (Array.isArray(branches))
    return fillFirst(
      filling,
      branches.map((branch) => ({ schema: resolve(filling, branch), path })),
    )
  if (Array.isArray(schema.type))
    return fillFirst(
      filling,
      schema.type.map((type) => ({ schema: { ...schema, type }, path })),
    )
  if (schema.type === 'object') return fillObject(filling, field)
  if (schema.type === 'array') return fillArray(filling, field)
  const requested = toRequested(schema, schema.type)
  return requested ? fillScalar(filling, field, requested) : lack(field)
}

/** Fills a schema with what was found. Throws MissingEvidence with the fields that it requires and nothing says. */
export const fillSchema = (
  schema: Schema,
  ranked: readonly { sentence: Sentence; score: number }[],
): { output: unknown; quotes: Quote[] } => {
  const filling: Filling = {
    sentences: ranked
      .slice(0, maxSentences)
      .filter(({ score }) => score > 0 && score >= (ranked[0]?.score ?? 0) * minShare)
      .map(({ sentence }) => sentence),
    best: chooseQuotes(ranked),
    definitions: isObject(schema.$defs) ? schema.$defs : {},
    used: new Set(),
    left: maxFields,
  }
  const filled = fill(filling, { schema: resolve(filling, schema), path: [] })
  if ('missing' in filled)
    throw new MissingEvidence(filled.missing.map((path) => (path === '' ? 'the output itself' : path)))
  return { output: filled.value, quotes: [...filling.used] }
}
