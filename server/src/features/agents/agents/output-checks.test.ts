import { afterAll, expect, test } from 'vitest'
import { openOutputChecks } from './output-checks.ts'

const checks = openOutputChecks()
afterAll(() => checks.close())

const schema = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } }
const endless = { schema, text: JSON.stringify({ a: `${'a'.repeat(60)}!` }), milliseconds: 1 }

test('D-71 an outputSchema that cannot be checked is refused, and one that can is not', async () => {
  await checks.checkSchema('a', schema)
  await expect(checks.checkSchema('a', { type: 'array' })).rejects.toMatchObject({
    kind: 'validation',
    at: ['outputSchema', 'type'],
  })
})

test('D-71 organizations take turns: the checks of one wait for one of another, not for all', async () => {
  const done: string[] = []
  const check = async (organization: string, request: typeof endless) => {
    const { checked } = await checks.check(organization, request)
    done.push(organization)
    return checked
  }
  const answers = await Promise.all([
    ...Array.from({ length: 4 }, () => check('hostile', endless)),
    check('honest', { ...endless, text: '{"a":"aaa"}', milliseconds: 100 }),
  ])
  expect(done).toEqual(['hostile', 'hostile', 'honest', 'hostile', 'hostile'])
  expect(answers).toEqual([undefined, undefined, undefined, undefined, { output: { a: 'aaa' } }])
})
