import type { BrainClient } from '@noema/sdk'
import { UsageError } from '../exit-codes.ts'

// Declarations of fields and links as a person types them: status:enum=new,paid:indexed and customer:company,person.

type Operation = Parameters<BrainClient['schema']['evolve']>[0]['operations'][number]
type Named<Op extends Operation['op']> = Extract<Operation, { op: Op }>
export type Field = Named<'addField'>['field']
export type Link = Named<'addLink'>['link']

const types = ['string', 'text', 'integer', 'number', 'boolean', 'date', 'datetime', 'enum', 'json'] as const
const flags = ['required', 'many', 'indexed', 'unique', 'alias'] as const

const splitValues = (text: string): string[] => text.split(',').map((value) => value.trim())

const parseRule = (text: string, whole: string): Partial<Field> => {
  const flag = flags.find((name) => name === text)
  if (flag) return { [flag]: true }
  const [name, values] = text.split('=', 2)
  if (name === 'notifyBefore' && values) return { notifyBefore: splitValues(values) }
  throw new UsageError(
    `${JSON.stringify(text)} in --field ${whole} is none of ${flags.join(', ')} and notifyBefore=P7D,P0D.`,
  )
}

/** Parses `name:type`, with rules after more colons. */
export const parseField = (given: string): Field => {
  const [name = '', kindOfValue = '', ...rules] = given.split(':')
  const [typeName, values] = kindOfValue.split('=', 2)
  const type = types.find((known) => known === typeName)
  if (name === '' || !type)
    throw new UsageError(`--field ${given}: write name:type, and the type is one of ${types.join(', ')}.`)
  if ((type === 'enum') !== (values !== undefined))
    throw new UsageError(
      `--field ${given}: an enum lists its values, as in ${name}:enum=new,paid; other types have none.`,
    )
  const parsed = rules.map((rule) => parseRule(rule, given))
  return Object.assign({ name, type, ...(values === undefined ? {} : { values: splitValues(values) }) }, ...parsed)
}

/** Parses `predicate` or `predicate:kind,kind`; with `:one` at the end, a record has at most one. */
export const parseLink = (given: string): Link => {
  const [predicate = '', kinds = '', one, ...more] = given.split(':')
  if (predicate === '' || more.length > 0 || (one !== undefined && one !== 'one'))
    throw new UsageError(`--link ${given}: write predicate, predicate:kind,kind or predicate:kind:one.`)
  return { predicate, to: kinds === '' ? [] : splitValues(kinds), ...(one ? { many: false } : {}) }
}

/** The rules of a field's values, in the words that `parseField` takes. */
export const formatRules = ({ values, notifyBefore, ...field }: Field): string =>
  [
    ...(values ? [`enum=${values.join(',')}`] : []),
    ...flags.filter((name) => field[name]),
    ...(notifyBefore ? [`notifyBefore=${notifyBefore.join(',')}`] : []),
  ].join(':')
