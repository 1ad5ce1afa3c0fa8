import type { Operation } from '@noema/contracts/batch.ts'
import { validation } from '../../../shared/errors.ts'
import { newId } from '../../../shared/ids.ts'
import { contentAddress } from '../../brain/documents/documents.ts'

/** An operation whose id is settled, with the name that later operations of its batch may call its result by. */
export type ResolvedOperation = Operation & { id: string }

const refPrefix = '$ref:'

const resolveId = (operation: Operation, now: Date): string => {
  if (operation.op === 'record.create') return newId('rec', now)
  if (operation.op === 'statement.assert') return operation.id ?? newId('stm', now)
  if (operation.op === 'document.put') return operation.id ?? contentAddress(operation.text)
  return operation.id
}

/** Puts the ids of earlier results where `"$ref:name"` stands for them. */
const resolveRefs = (operation: Operation, resolve: (id: string) => string): Operation => {
  switch (operation.op) {
    case 'record.create':
      return { ...operation, links: operation.links?.map((link) => ({ ...link, to: resolve(link.to) })) }
    case 'record.put':
      return {
        ...operation,
        id: resolve(operation.id),
        links: operation.links?.map((link) => ({ ...link, to: resolve(link.to) })),
      }
    case 'record.patch': {
      const links = operation.links?.map((link) => ({ ...link, to: link.to === null ? null : resolve(link.to) }))
      return { ...operation, id: resolve(operation.id), links }
    }
    case 'record.delete':
    case 'document.retire':
    case 'statement.retract':
      return { ...operation, id: resolve(operation.id) }
    case 'statement.assert': {
      const { subject, object } = operation
      const target = 'record' in object ? { record: { ...object.record, id: resolve(object.record.id) } } : object
      const sources = operation.sources?.map((source) => ({ ...source, document: resolve(source.document) }))
      return { ...operation, subject: { ...subject, id: resolve(subject.id) }, object: target, sources }
    }
    case 'document.put':
      return operation
  }
}

/** The refusal of one operation of a batch, with its index. */
const badOperation = (index: number, message: string) =>
  validation(`Operation ${index}: ${message}`, { details: [{ path: ['operations', index], message, index }] })

/**
 * Settles the ids of a change's operations before it waits for its turn, so that what it needs can be read at once.
 * References are checked here: each must name an earlier result of the same batch.
 */
export const resolveOperations = (operations: readonly Operation[], now: Date): ResolvedOperation[] => {
  const results = new Map<string, string>()
  return operations.map((given, index) => {
    const operation = resolveRefs(given, (id) => {
      if (!id.startsWith(refPrefix)) return id
      const settled = results.get(id.slice(refPrefix.length))
      if (settled === undefined) throw badOperation(index, `${id} names no earlier operation of this batch.`)
      return settled
    })
    const settled = { ...operation, id: resolveId(operation, now) }
    if ('ref' in given && given.ref !== undefined) {
      if (results.has(given.ref)) throw badOperation(index, `The ref ${given.ref} is used twice.`)
      results.set(given.ref, settled.id)
    }
    return settled
  })
}
