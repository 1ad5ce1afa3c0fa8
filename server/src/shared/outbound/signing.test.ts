import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSigner, newSigningSecret } from './signing.ts'

test('WHK-06 every signature is the HMAC-SHA256 that Node makes of the same', () => {
  const secrets = fc.oneof(
    fc.constant('').map(newSigningSecret),
    fc.base64String({ maxLength: 200 }).map((text) => `whsec_${text}`),
  )
  fc.assert(
    fc.property(secrets, fc.string({ unit: 'grapheme', maxLength: 300 }), (secret, body) => {
      const headers = createSigner({ current: secret, next: null })({ id: 'c1', at: new Date(1_700_000_000_999), body })
      const of = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text)
      expect(headers['x-service-signature']).toBe(`sha256=${of(secret, body).digest('hex')}`)
      const standard = of(Buffer.from(secret.slice(6), 'base64'), `c1.1700000000.${body}`).digest('base64')
      expect(headers['webhook-signature']).toBe(`v1,${standard}`)
    }),
  )
})
