/** An origin that the service trusts. */
export const benchOrigin = 'http://noema.bench'

/** Signs somebody up at a running service that trusts the origin; answers their organization and the headers of a browser that acts in it. */
export const signUpAt = async ({ port }: { port: number }) => {
  const base = `http://127.0.0.1:${port}`
  const origin = benchOrigin
  const signedUp = await fetch(`${base}/api/auth/sign-up/email`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'bench@example.com', password: 'correct horse battery', name: 'Bench' }),
  })
  const cookie = signedUp.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ')
  const whoami = await fetch(`${base}/v1/whoami`, { headers: { origin, cookie } })
  const { data } = (await whoami.json()) as { data: { organizations: { id: string }[] } }
  const organizationId = data.organizations[0]?.id ?? ''
  return { organizationId, headers: { origin, cookie, 'x-organization-id': organizationId } }
}
