import { expect, test } from 'vitest'
import { createSecretBox } from './secret-box.ts'

const secretBox = createSecretBox('a service secret of 32 characters', 'tests')

test('a sealed value opens only under the same secret, purpose and context, and never if it was altered', () => {
  for (const text of ['', 'whsec_abc', 'ö🧮', 'x'.repeat(10_000)]) {
    const encrypted = secretBox.encrypt(text, 'one')
    expect(secretBox.decrypt(encrypted, 'one')).toBe(text)
    expect(secretBox.decrypt(encrypted, 'two')).toBeUndefined()
    expect(createSecretBox('a service secret of 32 characters', 'others').decrypt(encrypted, 'one')).toBeUndefined()
    expect(createSecretBox('another secret of 32 characters!', 'tests').decrypt(encrypted, 'one')).toBeUndefined()
    for (const at of [0, 12, encrypted.length - 1]) {
      const altered = Buffer.from(encrypted)
      altered[at] = (altered[at] ?? 0) ^ 1
      expect(secretBox.decrypt(altered, 'one')).toBeUndefined()
    }
    for (const length of [0, 5, 20]) expect(secretBox.decrypt(encrypted.subarray(0, length), 'one')).toBeUndefined()
  }
})

test('the same text is never sealed the same twice', () => {
  expect(secretBox.encrypt('text', 'one').equals(secretBox.encrypt('text', 'one'))).toBe(false)
})
