import { contentId } from '@noema/contracts/common.ts'
import { documentSource } from '@noema/contracts/documents.ts'
import type { z } from 'zod'
import { validation } from '../shared/errors.ts'

const check = (schema: z.ZodType<string>, name: string, given: string): string => {
  const parsed = schema.safeParse(given)
  const wellFormed = parsed.success && given.isWellFormed() && !given.includes('\0')
  if (wellFormed) return parsed.data
  const message =
    parsed.error?.issues[0]?.message ?? `The ${name} cannot hold the character U+0000 or half a surrogate pair.`
  throw validation(message, { details: [{ path: `path.${name}`, message }] })
}

/** An id from a path, held to the same rule as one from a body. */
export const checkId = (id: string): string => check(contentId, 'id', id)

/** The name of a source from a path, held to the same rule as one from a body. */
export const checkSource = (source: string): string => check(documentSource.shape.name, 'source', source)
