/** An origin that the service trusts. */
export const benchOrigin = 'http://noema.bench'

/** Signs in to an account of a running service that trusts the origin; answers a browser's headers in its organization. */
export const signInAt = async ({ port }: { port: number }, account: { email: string; password: string }) => {
  const base = `http://127.0.0.1:${port}`
  const origin = benchOrigin
  const entered = await fetch(`${base}/api/auth/sign-in/email`, {
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
  return { headers: { origin, cookie, 'x-organization-id': data.organizations[0]?.id ?? '' } }
}
