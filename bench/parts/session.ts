/** An origin that the service trusts. */
export const benchOrigin = 'http://noema.bench'

type Address = { port: number }

const enter = async ({ port }: Address, way: 'sign-up' | 'sign-in', account: object) => {
  const base = `http://127.0.0.1:${port}`
  const origin = benchOrigin
  const entered = await fetch(`${base}/api/auth/${way}/email`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json' },
    body: JSON.stringify(account),
  })
  const cookie = entered.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ')
  const whoami = await fetch(`${base}/v1/whoami`, { headers: { origin, cookie } })
  const { data } = (await whoami.json()) as { data: { organizations: { id: string }[] } }
  const organizationId = data.organizations[0]?.id ?? ''
  return { organizationId, headers: { origin, cookie, 'x-organization-id': organizationId } }
}

/** Signs somebody up at a running service that trusts the origin; answers their organization and the headers of a browser that acts in it. */
export const signUpAt = (service: Address) =>
  enter(service, 'sign-up', { email: 'bench@example.com', password: 'correct horse battery', name: 'Bench' })

/** Signs somebody in who has an account; answers as `signUpAt` does. */
export const signInAt = (service: Address, account: { email: string; password: string }) =>
  enter(service, 'sign-in', account)
