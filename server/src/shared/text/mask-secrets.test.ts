import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createMask } from './mask-secrets.ts'

const secret = 'planted-secret-42?'

test('a secret is masked as it is, and as hexadecimal, base64 and a part of a URL, wherever it stands in what is encoded', () => {
  const hide = createMask([secret])
  const bytes = fc.string({ unit: 'binary-ascii', maxLength: 12 })
  fc.assert(
    fc.property(bytes, bytes, (before, after) => {
      const said = Buffer.from(before + secret + after)
      for (const text of [said.toString('base64'), said.toString('base64url'), said.toString('hex')]) {
        const masked = hide(text)
        expect(masked).toContain('***')
        // Three characters of base64 hold no more than two bytes of the secret.
        expect(text.length - masked.length).toBeGreaterThanOrEqual(secret.length - 3)
      }
      expect(hide(before + secret + after)).not.toContain(secret)
      expect(hide(`?k=${encodeURIComponent(secret)}`)).toBe('?k=***')
    }),
  )
})

test('the longer of two secrets is masked first, and a few characters are no secret', () => {
  const hide = createMask(['Bearer secret-1', 'secret-1', 'the'])
  expect(hide('the Bearer secret-1, the secret-1')).toBe('the ***, the ***')
})
