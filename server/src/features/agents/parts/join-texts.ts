import type { NewPart } from './stored-parts.ts'

/** Joins each piece of text to the one before it, if it continues that one. */
export const joinTexts = (parts: readonly NewPart[]): NewPart[] => {
  const joined: NewPart[] = []
  for (const { operationId, part } of parts) {
    const last = joined.at(-1)
    if (
      (part.type === 'text-delta' || part.type === 'reasoning-delta') &&
      last?.part.type === part.type &&
      last.part.id === part.id &&
      last.operationId === operationId
    )
      joined[joined.length - 1] = { operationId, part: { ...part, delta: last.part.delta + part.delta } }
    else joined.push({ operationId, part })
  }
  return joined
}
