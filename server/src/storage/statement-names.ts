import { hash } from 'node:crypto'

// Prepared statements have names. A name depends only on the statement's text: on a connection that others have used,
// through a pooler, a name never means another statement.

/** More than the service has texts. Texts that depend on callers' input would fill the memory of every connection. */
const maxNames = 500

export type StatementNames = {
  /** The names of the statements that connections prepare, by text. */
  readonly known: ReadonlyMap<string, string>
  /** Names a statement, so that connections prepare it; undefined where it is not to be prepared. */
  add(text: string): string | undefined
  /** Gives a statement a new name, because PostgreSQL cannot use the plan under the old one any more. */
  renew(text: string): void
}

export const createStatementNames = (isPreparing: boolean): StatementNames => {
  const known = new Map<string, string>()
  const renewals = new Map<string, number>()
  const toName = (text: string): string => `noema_${hash('sha256', `${renewals.get(text) ?? ''}${text}`).slice(0, 24)}`
  return {
    known,
    add: (text) => {
      if (!isPreparing) return undefined
      const name = known.get(text) ?? (known.size < maxNames ? toName(text) : undefined)
      if (name !== undefined) known.set(text, name)
      return name
    },
    renew: (text) => {
      renewals.set(text, (renewals.get(text) ?? 0) + 1)
      known.set(text, toName(text))
    },
  }
}

/**
 * Checks whether PostgreSQL refused a prepared statement because a migration changed the types of its columns. The
 * statement has done nothing then.
 */
export const isOutdatedPlan = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  error.code === '0A000' &&
  error.message.includes('cached plan must not change result type')
