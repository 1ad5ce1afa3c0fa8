import type { Access, Capability } from '@noema/contracts/access.ts'

// The access of endpoints, in words and as data.

const words: Record<Extract<Access, string>, string> = {
  public: 'Anyone may call it; no credential is needed.',
  anyone: 'Needs any valid key, or a signed-in session.',
  session: 'Needs a session with `x-organization-id`; keys get 403.',
  account: 'Needs a signed-in session, and is about its own account. Keys get 403.',
  management: 'Needs a management key or a session; Brain keys get 401.',
  administrator: 'Needs an administrator of the whole service. Everybody else gets 403.',
}

const toList = (capabilities: readonly Capability[]): string => capabilities.map((name) => `\`${name}\``).join(' and ')

/** Sentences about who may call. */
export const toAccessText = (access: Access): string => {
  if (typeof access === 'string') return words[access]
  const { capabilities, fields = {} } = access
  const needed = capabilities.length === 0 ? 'any capability' : toList(capabilities)
  const more = Object.entries(fields).map(
    ([name, names]) => ` To send \`${name}\`, a Brain key also needs ${toList(names)}.`,
  )
  return `Needs a Brain key with ${needed}, a management key or a session.${more.join('')}`
}

/** The same for programs. */
export const toAccessData = (access: Access): object => {
  if (typeof access === 'string') return { caller: access, sessions: access !== 'public' }
  const { capabilities, fields } = access
  return { caller: 'brain', capabilities, sessions: true, ...(fields && { fields }) }
}
