import { endpoints } from '@noema/contracts/api.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyBody } from '../../test/arbitrary-requests.ts'
import { useBrain, useOwnApp } from '../../test/harness.ts'
import { sampleCall, sampleCredential } from '../../test/sample-calls.ts'

const app = useOwnApp()
const brain = useBrain(app)

/** How the validator speaks where nobody speaks for it: in whole words, as names of the sender's own stand in messages too. */
const validatorWords =
  /Invalid (input|option|string|key|value|discriminator|element)|expected \w+, received|Too (small|big)|Unrecognized key|\bundefined\b|\bNaN\b|discriminator/

const messagesIn = ({ error }: { error?: { message: string; details?: { message: string }[] } }): string[] =>
  error ? [error.message, ...(error.details ?? []).map(({ message }) => message)] : []

test.each(endpoints.filter(({ endpoint }) => endpoint.body !== undefined))(
  'the refusals of $name are sentences in plain words, whatever body is sent',
  async ({ name, endpoint }) => {
    const { method, path, body, headers } = await sampleCall(app, brain, { name, endpoint })
    const found = new Set<string>()
    await fc.assert(
      fc.asyncProperty(anyBody(body ?? {}), async (bytes) => {
        const answer = await app.request(method, path, {
          headers: { ...sampleCredential(endpoint, brain), ...headers, 'content-type': 'application/json' },
          body: Buffer.from(bytes).toString('utf8'),
        })
        for (const message of messagesIn(answer.body ?? {})) found.add(message)
      }),
      { numRuns: 25 },
    )
    expect([...found].filter((message) => validatorWords.test(message))).toEqual([])
    expect([...found].filter((message) => !/[.!?]$/.test(message))).toEqual([])
  },
)

test.each([
  [{}, 'body.kind: This is required: a text.'],
  [{ kind: 7 }, 'body.kind: Expected a text; got a whole number.'],
  [[], 'body: Expected an object; got a list.'],
  [{ kind: 'a', links: [{ predicate: '', to: 'x' }] }, 'body.links.0.predicate: Expected at least 1 character.'],
  [{ kind: 'a', provenance: { trust: 'maybe' } }, 'body.provenance.trust: Expected one of "trusted", "unverified".'],
  [{ kind: 'a', fields: { '': 1 } }, 'body.fields.: A field name has 1 to 128 characters.'],
])('%j is refused as "%s"', async (body, message) => {
  expect((await brain.call('POST', '/records', body)).body.error.message).toBe(message)
})
