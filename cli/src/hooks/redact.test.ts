import { expect, test } from 'vitest'
import { redact } from './redact.ts'

const letters = 'aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3hJ5kL7n'
// Put together here, so that no scanner takes this file for a leak.
const secrets: [string, string][] = [
  ['AWS', `AKIA${'IOSFODNN7EXAMPLE'}`],
  ['GitHub', `ghp_${letters}`],
  ['GitHub, fine-grained', `github_pat_${letters}_${letters}`],
  ['GitLab', `glpat-${letters.slice(0, 20)}`],
  ['Slack', `xoxb-${letters}`],
  ['Slack webhook', `https://hooks.slack.com/services/T000/B000/${letters.slice(0, 20)}`],
  ['Google', `AIza${letters.slice(0, 35)}`],
  ['Stripe', `sk_live_${letters}`],
  ['Anthropic', `sk-ant-api03-${letters}`],
  ['OpenAI', `sk-proj-${letters}`],
  ['Hugging Face', `hf_${letters}`],
  ['Noema', `nsk_${letters}`],
  ['npm', `npm_${letters}`],
  ['JSON Web Token', `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.${letters}`],
  ['private key', `-----BEGIN RSA PRIVATE KEY-----\n${letters}\n${letters}\n-----END RSA PRIVATE KEY-----`],
]

test.each(secrets)('HOK-02 a credential of %s is removed, and the words around it stay', (_name, secret) => {
  const text = redact(`The key is ${secret}\nand the port is 4100.`)
  expect(text).not.toContain(secret.slice(12, 30))
  expect(text).toMatch(/^The key is \[.+ removed\]\nand the port is 4100\.$/)
})

test('HOK-02 values with the names of secrets are removed, in code, settings and addresses', () => {
  const given = [
    ['DB_PASSWORD=correct-horse', 'DB_PASSWORD=[secret removed]'],
    ['{"apiKey": "1234567890abc", "port": 1}', '{"apiKey": [secret removed], "port": 1}'],
    ["client_secret: 'a b c d e f'", 'client_secret: [secret removed]'],
    ['postgres://ada:hunter22@db:5432/app', 'postgres://ada:[password removed]@db:5432/app'],
    [`authorization: Bearer ${letters}`, 'authorization: Bearer [credential removed]'],
  ] as const
  for (const [text, expected] of given) expect(redact(text)).toBe(expected)
})

test('ordinary text stays as it is', () => {
  for (const text of [
    'The token bucket refills each second; see tokens.ts and passwords.ts.',
    'Set the password in the console. The secret is patience.',
    'const count = tokens.length; https://example.com/a:b@c',
    'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  ])
    expect(redact(text)).toBe(text)
})

test('a text made to be slow is not', () => {
  const begun = performance.now()
  for (const part of ['-----BEGIN PRIVATE KEY-----', 'a://', 'secret'.repeat(9), 'eyJ', 'Bearer ', 'password = '])
    redact(part.repeat(Math.ceil(200_000 / part.length)))
  expect(performance.now() - begun).toBeLessThan(5_000)
})
