import { z } from 'zod'

/** Who may use a Brain: all members of its organization, or only those whom it names. */
export const openTo = z
  .enum(['organization', 'members'])
  .describe('Who may use the Brain: every member of the `organization`, or only the `members` whom it names.')
