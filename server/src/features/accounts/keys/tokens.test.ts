import { crc32 } from 'node:zlib'
import { expect, test } from 'vitest'
import { addBrain } from '../../../test/app.ts'
import { useApp, useBrain } from '../../../test/harness.ts'

const app = useApp()
const brain = useBrain(app)

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** The checksum as a secret scanner computes it, digit by digit from the end. */
const base62 = (number: number): string =>
  number === 0 ? '' : base62(Math.floor(number / 62)) + alphabet.charAt(number % 62)

test('D-14 a secret is its prefix, 40 base62 characters and 6 of checksum over both', async () => {
  const secrets = [brain.key, await brain.mintKey(['read'])]
  expect(secrets.map((secret) => secret.slice(0, 4))).toEqual(['nsk_', 'nbk_'])
  for (const secret of secrets) {
    expect(secret).toMatch(/^(nsk|nbk)_[0-9A-Za-z]{46}$/)
    expect(secret.slice(-6)).toBe(base62(crc32(secret.slice(0, -6))).padStart(6, '0'))
  }
})

test('D-14 no two secrets are alike, and lists show the first 8 characters alone', async () => {
  const crowd = await addBrain(app, brain, 'crowd')
  const secrets = await Promise.all(Array.from({ length: 20 }, () => crowd.mintKey(['read'])))
  expect(new Set(secrets).size).toBe(20)
  const { body } = await crowd.call('GET', '/keys')
  const prefixes = body.data.keys.map((key: { prefix: string }) => key.prefix)
  expect([...prefixes].sort()).toEqual(secrets.map((secret) => secret.slice(0, 8)).sort())
})

test.each([
  ['one character changed', (key: string) => key.slice(0, 20) + (key[20] === 'a' ? 'b' : 'a') + key.slice(21)],
  ['its checksum changed', (key: string) => key.slice(0, -1) + (key.endsWith('a') ? 'b' : 'a')],
  ['its other prefix', (key: string) => `nbk${key.slice(3)}`],
  ['one character more', (key: string) => `${key}0`],
  ['one character less', (key: string) => key.slice(0, -1)],
  ['its letters in capitals', (key: string) => key.toUpperCase()],
  ['its prefix alone', (key: string) => key.slice(0, 4)],
])('AUT-05 D-14 a key with %s is 401', async (_case, mistype) => {
  const refused = await app.request('GET', '/v1/whoami', { key: mistype(brain.key) })
  expect(refused).toMatchObject({ status: 401, body: { error: { kind: 'unauthorized' } } })
})
