import { readFileSync } from 'node:fs'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import spectral, { type RulesetDefinition } from '@stoplight/spectral-core'
import rulesets from '@stoplight/spectral-rulesets'
import { expect, test } from 'vitest'

// The document as linters of others see it, by the rules that they recommend.

const text = readFileSync(new URL('openapi.json', import.meta.url), 'utf8')

test('D-81 Spectral finds nothing in the OpenAPI document', { timeout: 300_000 }, async () => {
  const linter = new spectral.Spectral()
  linter.setRuleset({ extends: [[rulesets.oas as RulesetDefinition, 'recommended']] })
  const findings = await linter.run(JSON.parse(text))
  expect(findings.map(({ code, path, message }) => `${code} ${path.join('/')}: ${message}`)).toEqual([])
})

test('D-81 Redocly finds nothing in the OpenAPI document', { timeout: 300_000 }, async () => {
  const config = await createConfig({ extends: ['recommended'] })
  const findings = await lintFromString({ source: text, config })
  expect(findings.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`)).toEqual([])
})
