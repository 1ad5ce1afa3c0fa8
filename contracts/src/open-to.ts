import { z } from 'zod'

/** Who may use a Brain: all members of its organization, or only those whom it names. */
export const openTo = z
  .enum(['organization', 'members'])
  .meta({ id: 'OpenTo', description: 'Who may use the Brain: its whole organization, or the members whom it names.' })
