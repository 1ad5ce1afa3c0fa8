import { mailedLink, signUp, type TestApp } from './app.ts'

type Member = Awaited<ReturnType<typeof signUp>>

const post = (test: TestApp, { session }: Member, path: string, body: object) =>
  test.request('POST', `/api/auth/organization/${path}`, { headers: session, body })

/** Opens the link of the newest mail to somebody, which confirms their address. */
export const confirmAddress = async (test: TestApp, email: string): Promise<void> => {
  const link = mailedLink(test, email)
  await fetch(test.base + link.pathname + link.search, { redirect: 'manual' })
}

/** Somebody new who joins an owner's organization; their session acts in it. */
export const joinOrganization = async (test: TestApp, owner: Member): Promise<Member> => {
  const guest = await signUp(test)
  await confirmAddress(test, guest.email)
  const { organizationId } = owner
  const invited = await post(test, owner, 'invite-member', { email: guest.email, role: 'member', organizationId })
  await post(test, guest, 'accept-invitation', { invitationId: invited.body.id })
  return { ...guest, organizationId, session: { ...guest.session, 'x-organization-id': organizationId } }
}

/** The owner removes a member. */
export const removeMember = (test: TestApp, owner: Member, { email }: Member) =>
  post(test, owner, 'remove-member', { memberIdOrEmail: email, organizationId: owner.organizationId })
