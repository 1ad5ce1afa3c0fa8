import { contentId } from '@noema/contracts/common.ts'
import { validation } from '../shared/errors.ts'

/** An id from a path, held to the same rule as one from a body. */
export const checkId = (id: string): string => {
  const parsed = contentId.safeParse(id)
  const wellFormed = parsed.success && id.isWellFormed() && !id.includes('\0')
  if (wellFormed) return parsed.data
  const message = parsed.error?.issues[0]?.message ?? 'An id cannot hold the character U+0000 or half a surrogate pair.'
  throw validation(message, { details: [{ path: 'path.id', message }] })
}
