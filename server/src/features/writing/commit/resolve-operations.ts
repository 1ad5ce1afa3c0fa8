import type { Operation } from '@noema/contracts/batch.ts'
import { validation } from '../../../shared/errors.ts'
import type { ResolvedOperation } from '../../kernel/versioning/types.ts'
import { kindByOperation } from '../../knowledge/content/content.ts'

const referencePrefix = '$ref:'

/** The refusal of one operation of a batch, with its index. */
const badOperation = (index: number, message: string) =>
  validation(`Operation ${index}: ${message}`, { details: [{ path: ['operations', index], message, index }] })

/**
 * Gives the operations of a change their ids before it is queued, so that all of the content that it needs can be read at once.
 * References are checked here: each must name an earlier result of the same batch.
 */
export const resolveOperations = (operations: readonly Operation[], now: Date): ResolvedOperation[] => {
  const results = new Map<string, string>()
  return operations.map((given, index) => {
    const toId = (id: string) => {
      if (!id.startsWith(referencePrefix)) return id
      const resolved = results.get(id.slice(referencePrefix.length))
      if (resolved === undefined) throw badOperation(index, `${id} names no earlier operation of this batch.`)
      return resolved
    }
    const operation = kindByOperation.get(given.op)?.resolve(given, toId, now)
    if (!operation) throw badOperation(index, `there is no operation ${given.op}.`)
    if ('ref' in given && given.ref !== undefined) {
      if (results.has(given.ref)) throw badOperation(index, `The ref ${given.ref} is used twice.`)
      results.set(given.ref, operation.id)
    }
    return operation
  })
}
