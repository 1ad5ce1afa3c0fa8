import { z } from 'zod'

/** The members to whom a Brain is open: all of its organization, or only those whom it names. */
export const openTo = z
  .enum(['organization', 'members'])
  .meta({ id: 'OpenTo', description: 'Who may use the Brain: its whole organization, or the members whom it names.' })
