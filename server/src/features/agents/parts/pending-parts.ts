import type { RunPart } from '@noema/contracts/run-stream.ts'
import type { NewPart } from './stored-parts.ts'

/** What a part weighs while it waits, roughly, in characters. */
const measure = (part: RunPart): number => ('delta' in part ? part.delta.length : 200)

/** Adds a part; a piece of text that goes on where the last one ended joins it. */
const addPart = (parts: NewPart[], operationId: string | undefined, part: RunPart): void => {
  const last = parts.at(-1)
  if (
    (part.type === 'text-delta' || part.type === 'reasoning-delta') &&
    last?.part.type === part.type &&
    last.part.id === part.id &&
    last.operationId === operationId
  )
    parts[parts.length - 1] = { operationId, part: { ...part, delta: last.part.delta + part.delta } }
  else parts.push({ operationId, part })
}

/** Parts that wait to be stored together. */
export const createPendingParts = () => {
  let parts: NewPart[] = []
  let length = 0
  return {
    add: (operationId: string | undefined, added: readonly RunPart[]): void => {
      for (const part of added) {
        addPart(parts, operationId, part)
        length += measure(part)
      }
    },
    length: () => length,
    take: (): NewPart[] => {
      const taken = parts
      parts = []
      length = 0
      return taken
    },
  }
}
