import { expect, test } from 'vitest'
import { notYetEmbedded } from './degraded.ts'

test.each([
  [null, 'Search again later.'],
  [1, 'Search again in about 1 second.'],
  [80, 'Search again in about 80 seconds.'],
  [400, 'Search again in about 7 minutes.'],
  [600_000, 'Search again in about 10,000 minutes.'],
])(
  'D-50 with %s seconds left to embed passages, the answer says how they are ranked and "%s"',
  (secondsLeft, ending) => {
    const { message, ...rest } = notYetEmbedded(3, secondsLeft)
    expect(rest).toEqual({ reason: 'not_yet_embedded', secondsLeft })
    expect(message).toMatch(/^3 passages are not embedded yet: .*found by their words alone/)
    expect(message.endsWith(ending)).toBe(true)
  },
)

test('D-50 one passage that is not embedded yet is spoken of as one', () => {
  const { message } = notYetEmbedded(1, null)
  expect(message).toBe(
    '1 passage is not embedded yet: meaning counts less in this ranking, and it is found by its words alone. Search again later.',
  )
})
