import type { BrainRole } from '@noema/contracts/access.ts'
import type { Tone } from '../../components/badge.tsx'
import type { Member } from '../../data/members.ts'

type Choice = { value: BrainRole; name: string; hint: string; tone: Tone }

/** The roles in a restricted Brain. Each may do what the one before it may, and more. */
export const roleChoices: readonly Choice[] = [
  { value: 'reader', name: 'reader', hint: 'Reads, searches and follows the stream.', tone: 'neutral' },
  { value: 'writer', name: 'writer', hint: 'Also writes, as the mode of the Brain allows.', tone: 'neutral' },
  { value: 'reviewer', name: 'reviewer', hint: 'Also decides changes.', tone: 'info' },
  { value: 'manager', name: 'manager', hint: 'Also changes settings, keys and members.', tone: 'accent' },
]

/** Members as choices: by name, with the address, or by the address alone. */
export const toMemberChoices = (members: readonly Member[]) =>
  members.map(({ userId, name, email }) => ({ value: userId, name: name ? `${name} (${email})` : email }))
