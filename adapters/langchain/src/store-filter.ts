import type { Item } from '@langchain/langgraph-checkpoint'
import { NoemaError } from '@noema/sdk/errors'

// The filters of a store's search, as LangGraph's own stores understand them.

const operators: Readonly<Record<string, (stored: unknown, given: unknown) => boolean>> = {
  $eq: (stored, given) => stored === given,
  $ne: (stored, given) => stored !== given,
  $gt: (stored, given) => Number(stored) > Number(given),
  $gte: (stored, given) => Number(stored) >= Number(given),
  $lt: (stored, given) => Number(stored) < Number(given),
  $lte: (stored, given) => Number(stored) <= Number(given),
  $in: (stored, given) => Array.isArray(given) && given.includes(stored),
  $nin: (stored, given) => !Array.isArray(given) || !given.includes(stored),
}

type Condition = (stored: unknown) => boolean

const makeCondition = (field: string, given: unknown): Condition => {
  if (typeof given !== 'object' || given === null) return (stored) => stored === given
  const entries = Object.entries(given)
  const conditions = entries.map(([name, value]): Condition => {
    const compare = operators[name]
    if (compare) return (stored) => compare(stored, value)
    throw new NoemaError(
      `The filter of ${JSON.stringify(field)} has ${JSON.stringify(name)}. It takes a text, a number, true, false or null, or the operators ${Object.keys(operators).join(', ')}.`,
    )
  })
  return (stored) => conditions.every((isTrue) => isTrue(stored))
}

/** A filter over the values of items. Throws a `NoemaError` for what it does not know, rather than to find nothing. */
export const makeFilter = (filter: Readonly<Record<string, unknown>> = {}): ((item: Item) => boolean) => {
  const conditions = Object.entries(filter).map(([field, given]) => [field, makeCondition(field, given)] as const)
  return ({ value }) => conditions.every(([field, isTrue]) => isTrue(value[field]))
}
