import fc from 'fast-check'
import { expect, test } from 'vitest'
import { githubToken, passwordInAddress, slackToken } from './credential.fixture.ts'
import { findCredentials } from './credentials.ts'

test('CHK-02 a credential is found anywhere in a long text and among many short ones, and never repeated', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat(120_000),
      fc.nat(60_000),
      fc.constantFrom(githubToken, passwordInAddress),
      async (before, after, secret) => {
        const text = `${'word '.repeat(before / 5)} ${secret} ${'\n'.repeat(after)}`
        const [found] = await findCredentials([{ fields: { notes: [{ text }] } }])
        expect(found).toMatchObject([{ path: ['fields', 'notes', '0', 'text'] }])
        expect(JSON.stringify(found)).not.toContain(secret)
      },
    ),
    { numRuns: 30 },
  )
  const values = Array.from({ length: 3_000 }, (_, index) => ({
    title: index === 2_100 ? slackToken : `Title ${index}`,
  }))
  const found = await findCredentials(values)
  expect(found.flatMap((own, index) => (own.length > 0 ? [index] : []))).toEqual([2_100])
})

test('CHK-02 a field that is named by a credential is reported by the object that has it', async () => {
  const [found] = await findCredentials([{ fields: { [githubToken]: { note: slackToken } } }])
  expect(found?.map(({ path }) => path)).toEqual([['fields'], ['fields']])
})

test('CHK-02 a text cannot exempt itself by a comment, and ordinary words are no credential', async () => {
  const [exempt, words] = await findCredentials([
    { text: `<!-- secretlint-disable -->\n${githubToken} // secretlint-disable-line` },
    { text: 'The password is kept in the vault; ask Ann for the api key. ghp_ is how GitHub tokens begin.' },
  ])
  expect(exempt).toMatchObject([{ path: ['text'], credential: 'github_token' }])
  expect(words).toEqual([])
})

test('CHK-02 texts that are made to be slow leave the thread to others', async () => {
  let longest = 0
  let isWorking = true
  const others = async () => {
    for (let last = performance.now(); isWorking; last = performance.now()) {
      await new Promise((resolve) => setImmediate(resolve))
      longest = Math.max(longest, performance.now() - last)
    }
  }
  const watching = others()
  const hostile = [
    'http://a:',
    'AKIA',
    '-----BEGIN ',
    'eyJ',
    'xoxb-1-',
    '\n',
    'a',
    ' ',
    `${githubToken}\n`,
    'AWS_SECRET_ACCESS_KEY = ',
  ]
  await findCredentials(hostile.map((text) => ({ text: text.repeat(1_000_000 / text.length) })))
  isWorking = false
  await watching
  expect(longest).toBeLessThan(1_000)
})
