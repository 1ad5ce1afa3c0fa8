import { mailedLink, signUp, type TestApp } from './app.ts'

type Member = Awaited<ReturnType<typeof signUp>>

/** Calls an endpoint about organizations as a member. */
export const callOrganizations = (test: TestApp, { session }: Pick<Member, 'session'>, path: string, body: object) =>
  test.request('POST', `/api/auth/organization/${path}`, { headers: session, body })

/** Opens the link of a person's newest email in the browser of their sign-up, which confirms their address. */
export const confirmAddress = async (
  test: TestApp,
  { email, cookie }: Pick<Member, 'email' | 'cookie'>,
): Promise<void> => {
  const link = mailedLink(test, email)
  await fetch(test.base + link.pathname + link.search, { redirect: 'manual', headers: { cookie } })
}

/** Adds a new person to an owner's organization; their session acts in it. */
export const joinOrganization = async (test: TestApp, owner: Member, role = 'member'): Promise<Member> => {
  const guest = await signUp(test)
  await confirmAddress(test, guest)
  const { organizationId } = owner
  const invited = await callOrganizations(test, owner, 'invite-member', { email: guest.email, role, organizationId })
  await callOrganizations(test, guest, 'accept-invitation', { invitationId: invited.body.id })
  return { ...guest, organizationId, session: { ...guest.session, 'x-organization-id': organizationId } }
}

/** The owner removes a member. */
export const removeMember = (test: TestApp, owner: Member, { email }: Member) =>
  callOrganizations(test, owner, 'remove-member', { memberIdOrEmail: email, organizationId: owner.organizationId })
