import { hash } from 'node:crypto'

// Statements that are prepared once for each connection go by names. A name is made of the statement's text alone: on a
// connection that others have used, by way of a pooler, a name never stands for another statement.

/** More texts than there are: one that is made of what callers send would fill the memory of every connection. */
const maxNames = 500

export type StatementNames = {
  /** The name of a statement; undefined where it is not to be prepared. */
  find(text: string): string | undefined
  /** The name of a statement that was asked for before. */
  findKnown(text: string): string | undefined
  /** Gives a statement a new name, where the plan that PostgreSQL keeps under the old one cannot be used any more. */
  renew(text: string): void
}

export const createStatementNames = (isPreparing: boolean): StatementNames => {
  const names = new Map<string, string>()
  const renewals = new Map<string, number>()
  const toName = (text: string): string => `noema_${hash('sha256', `${renewals.get(text) ?? ''}${text}`).slice(0, 24)}`
  return {
    find: (text) => {
      if (!isPreparing) return undefined
      const known = names.get(text)
      if (known !== undefined || names.size >= maxNames) return known
      const name = toName(text)
      names.set(text, name)
      return name
    },
    findKnown: (text) => names.get(text),
    renew: (text) => {
      renewals.set(text, (renewals.get(text) ?? 0) + 1)
      names.set(text, toName(text))
    },
  }
}

/** The same names, and none for statements that nobody asked to be prepared. */
export const onlyKnown = (names: StatementNames): StatementNames => ({ ...names, find: names.findKnown })

/** The same names, and none for statements without parameters, such as what begins and ends a transaction. */
export const onlyWithParameters = (names: StatementNames): StatementNames => ({
  ...names,
  find: (text) => (text.includes('$1') ? names.find(text) : undefined),
})

/**
 * Whether PostgreSQL refused a prepared statement because the types of its columns changed under it, by a migration. It has
 * done nothing then.
 */
export const isOutdatedPlan = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  error.code === '0A000' &&
  error.message.includes('cached plan must not change result type')
