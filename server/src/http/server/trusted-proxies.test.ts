import { expect, test } from 'vitest'
import { readConfig } from '../../config/config.ts'
import { BadSetting } from '../../config/setting.ts'
import { publicUrl } from '../../test/app.ts'
import { useApp, useOwnApp } from '../../test/harness.ts'

const direct = useApp()
const proxied = useOwnApp({ NOEMA_TRUSTED_PROXIES: '127.0.0.0/8,::1' })

/** Calls until it is refused for the number of calls, each time as if a proxy had another caller. */
const countAttempts = async (app: typeof direct, address: (attempt: number) => string, max: number) => {
  for (let attempt = 1; attempt <= max; attempt++) {
    const { status } = await app.request('POST', '/api/auth/sign-out', {
      headers: { origin: publicUrl, 'x-forwarded-for': address(attempt) },
    })
    if (status === 429) return attempt
  }
  return max
}

test('SUR-04 without trusted proxies a caller cannot become another by a header', async () => {
  expect(await countAttempts(direct, (attempt) => `10.0.0.${attempt}`, 120)).toBe(101)
})

test('SUR-04 behind a trusted proxy each caller has attempts of their own', async () => {
  expect(await countAttempts(proxied, () => '10.0.0.1', 120)).toBe(101)
  expect(await countAttempts(proxied, () => '10.0.0.2', 5)).toBe(5)
  // The caller's own entries are left of those that the proxy added.
  expect(await countAttempts(proxied, (attempt) => `192.0.2.${attempt}, 10.0.0.1`, 5)).toBe(1)
})

test.each(['proxy.internal', '10.0.0.0/33', '::1/129', '10.0.0.1/8/8', '300.1.1.1'])(
  'a proxy that is no address or network stops the start: %s',
  (value) => {
    expect(() => readConfig({ NOEMA_TRUSTED_PROXIES: value }, '/')).toThrow(BadSetting)
  },
)
