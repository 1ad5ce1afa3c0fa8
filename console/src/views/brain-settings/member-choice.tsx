import { later } from '../../components/later.tsx'

/** Chooses a member of the organization by name or email. Its code loads when the first dialog shows it. */
export const MemberChoice = later(async () => (await import('../../components/combobox.tsx')).Combobox)
