import type { TestApp, TestBrain } from '../test/app.ts'
import { callOrganizations, joinOrganization } from '../test/organizations.ts'

// Whose right to a Brain may end, and how it ends.

type Headers = Record<string, string>

export type Subject = {
  headers: Headers
  /** True if the subject reaches the whole organization, with its runs and webhooks. */
  isManager: boolean
  /** The address of a person, who is sent mail. */
  email?: string
  /** True for a member to whom the Brain is closed, and who keeps the rest of the organization. */
  keepsOrganization?: true
  end(): Promise<unknown>
}

const bearer = (key: string): Headers => ({ authorization: `Bearer ${key}` })

/** Mints and revokes keys of each sort, and removes people. */
const createActs = (app: TestApp, owner: TestBrain) => {
  const mint = async (headers: Headers, extra: object = {}) => {
    const { data } = (await app.request('POST', '/v1/keys', { headers, body: { name: 'ending', ...extra } })).body
    return { id: data.key.id as string, headers: bearer(data.secret) }
  }
  const mintForBrain = async (headers: Headers) => {
    const body = { name: 'ending', capabilities: ['read', 'write', 'review', 'admin'] }
    const { data } = (await app.request('POST', `${owner.path}/keys`, { headers, body })).body
    return { id: data.key.id as string, headers: bearer(data.secret) }
  }
  const revokeForBrain = (id: string) => owner.call('DELETE', `/keys/${id}`)
  const rotate = async (id: string): Promise<string> =>
    (await owner.call('POST', `/keys/${id}/rotate`)).body.data.key.id
  const remove = (email: string) => {
    const { organizationId } = owner
    const body = { memberIdOrEmail: email, organizationId, revokeBrainKeys: true }
    return callOrganizations(app, owner, 'remove-member', body)
  }
  const asMember = async (end: (guest: Awaited<ReturnType<typeof joinOrganization>>) => Promise<unknown>) => {
    const guest = await joinOrganization(app, owner, 'admin')
    return { headers: guest.session, email: guest.email, isManager: true, end: () => end(guest) }
  }
  return { mint, mintForBrain, revokeForBrain, rotate, remove, asMember }
}

const without = ({ 'x-organization-id': _organization, ...session }: Headers) => session

/**
 * Makes the subjects of a Brain by name. Things that a management key made belong to the person who minted it, and outlive the
 * key.
 */
export const createSubjects = (app: TestApp, owner: TestBrain) => {
  const { mint, mintForBrain, revokeForBrain, rotate, remove, asMember } = createActs(app, owner)
  /** Those whose webhooks end with them. */
  const withWebhooks: Record<string, () => Promise<Subject>> = {
    'a Brain key that is revoked': async () => {
      const { id, headers } = await mintForBrain(owner.session)
      return { headers, isManager: false, end: () => revokeForBrain(id) }
    },
    'a Brain key that was replaced, and whose replacement is revoked': async () => {
      const { id, headers } = await mintForBrain(owner.session)
      const end = async () => {
        const next = await rotate(id)
        app.clock.advance({ seconds: 61 })
        await revokeForBrain(next)
      }
      return { headers, isManager: false, end }
    },
    'a member who is removed': () => asMember(({ email }) => remove(email)),
    'a member who leaves': () =>
      asMember((guest) => callOrganizations(app, guest, 'leave', { organizationId: owner.organizationId })),
    'somebody who deletes their account': () =>
      asMember(({ email, session }) =>
        app.request('DELETE', '/v1/account', {
          headers: without(session),
          body: { confirm: email, password: 'correct horse battery' },
        }),
      ),
    'the management key of a removed member': async () => {
      const guest = await joinOrganization(app, owner)
      const { headers } = await mint(guest.session)
      return { headers, isManager: true, end: () => remove(guest.email) }
    },
    'the Brain key of a removed member': async () => {
      const guest = await joinOrganization(app, owner)
      const { headers } = await mintForBrain(guest.session)
      return { headers, isManager: false, end: () => remove(guest.email) }
    },
  }
  const others: Record<string, () => Promise<Subject>> = {
    'a management key that is revoked': async () => {
      const { id, headers } = await mint(owner.session)
      const end = () => app.request('DELETE', `/v1/keys/${id}`, { headers: owner.session })
      return { headers, isManager: true, end }
    },
    'a management key that expires': async () => {
      const expiresAt = new Date(app.clock.now().getTime() + 2 * 86_400_000).toISOString()
      const { headers } = await mint(owner.session, { expiresAt })
      return { headers, isManager: true, end: async () => app.clock.advance({ days: 3 }) }
    },
    'a Brain key that was replaced a minute ago': async () => {
      const { id, headers } = await mintForBrain(owner.session)
      const end = async () => {
        await rotate(id)
        app.clock.advance({ seconds: 61 })
      }
      return { headers, isManager: false, end }
    },
    'a session that signed out': async () => {
      const { headers } = await asMember(async () => undefined)
      const end = () => app.request('POST', '/api/auth/sign-out', { headers, body: {} })
      return { headers, isManager: true, end }
    },
  }
  return { withWebhooks, others }
}

/** Makes the members by name to whom a restricted Brain is closed. They end last: who has left can be named no more. */
export const createClosedSubjects = (app: TestApp, owner: TestBrain): Record<string, () => Promise<Subject>> => {
  const { mint, mintForBrain } = createActs(app, owner)
  /** Closes the Brain to these members alone. */
  const closeTo = async (closed: readonly string[]) => {
    const path = `/api/auth/organization/list-members?organizationId=${owner.organizationId}`
    const { members } = (await app.request('GET', path, { headers: owner.session })).body
    const named = members.flatMap(({ user: { email } }: { user: { email: string } }) =>
      closed.includes(email) ? [] : [{ member: email, role: 'manager' }],
    )
    const body = { openTo: 'members', members: named }
    const { status } = await app.request('PATCH', `${owner.path}/access`, { headers: owner.session, body })
    if (status !== 200) throw new Error('The Brain was not closed.')
  }
  const takeOut = (email: string) => () =>
    app.request('DELETE', `${owner.path}/members/${email}`, { headers: owner.session })
  return {
    'the management key of a member to whom the Brain is closed': async () => {
      const guest = await joinOrganization(app, owner)
      const { headers } = await mint(guest.session)
      return { headers, isManager: false, keepsOrganization: true, end: () => closeTo([guest.email]) }
    },
    'the Brain key of a member to whom the Brain is closed': async () => {
      const guest = await joinOrganization(app, owner)
      const { headers } = await mintForBrain(guest.session)
      return { headers, isManager: false, end: takeOut(guest.email) }
    },
    'a member who is taken out of the Brain': async () => {
      const guest = await joinOrganization(app, owner)
      return { headers: guest.session, isManager: false, keepsOrganization: true, end: takeOut(guest.email) }
    },
  }
}

/** Reads a stream of events until it ends. */
export const openStream = async ({ base }: Pick<TestApp, 'base'>, path: string, headers: Headers) => {
  const response = await fetch(base + path, { headers: { accept: 'text/event-stream', ...headers } })
  return { status: response.status, text: response.text() }
}
