import { expect, test } from 'vitest'
import { toBytesInSteps } from './text-bytes.ts'

test('a long text becomes the bytes that it becomes at once, wherever it is cut', async () => {
  const step = 512 * 1024
  for (const text of [
    '',
    'short',
    'ä'.repeat(step),
    '😀'.repeat(step),
    `a${'😀'.repeat(step)}`,
    `${'x'.repeat(step - 1)}😀y`,
  ])
    expect((await toBytesInSteps(text)).equals(Buffer.from(text))).toBe(true)
})
