import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { findDeprecated, readConfig, unknownSettings } from './config.ts'
import { BadSetting } from './setting.ts'

const folder = mkdtempSync(join(tmpdir(), 'noema-tiers-'))
afterAll(() => rmSync(folder, { recursive: true }))

const read = (env: Record<string, string>) => {
  const { limits, maxOrganizations } = readConfig(env, '/')
  return { ...limits, maxOrganizations }
}

const refuse = (env: Record<string, string>): string => {
  try {
    readConfig(env, '/')
  } catch (error) {
    if (error instanceof BadSetting) return error.message
  }
  return 'no BadSetting'
}

const MiB = 1024 * 1024

test('D-18 without NOEMA_TIERS each tier has the limits of the documentation', () => {
  expect(read({})).toMatchObject({
    caps: {
      unverified: { brains: 10, dailyWrites: 10_000, dailyBytes: 100 * MiB, dailyRuns: 100 },
      free: { brains: 1_000, dailyWrites: 1_000_000, dailyBytes: 10_240 * MiB, dailyRuns: 10_000 },
      business: { brains: 100_000, dailyWrites: 100_000_000, dailyBytes: 1_048_576 * MiB, dailyRuns: 1_000_000 },
      enterprise: undefined,
      staff: undefined,
    },
    rates: {
      unverified: { perSecond: 100, burst: 500 },
      free: { perSecond: 500, burst: 5_000 },
      business: { perSecond: 1_000, burst: 10_000 },
      enterprise: { perSecond: 5_000, burst: 50_000 },
      staff: undefined,
      ...{ address: { perSecond: 20, burst: 200 }, failures: { perSecond: 5, burst: 200 }, organizationFactor: 2 },
    },
    receiptsByTier: { unverified: 100_000, free: 10_000_000, business: 10_000_000, enterprise: 10_000_000 },
    maxOrganizations: { unverified: 1, verified: 20 },
  })
})

test('D-18 NOEMA_TIERS changes the limits that it names and leaves the others', () => {
  const text =
    '{"free":{"brains":5,"rate":{"burst":7}},"unverified":{"organizations":3},"enterprise":{"rate":{"perSecond":1}}}'
  const { caps, rates, maxOrganizations } = read({ NOEMA_TIERS: text })
  expect(caps).toEqual({ ...read({}).caps, free: { ...read({}).caps.free, brains: 5 } })
  expect(rates).toEqual({
    ...read({}).rates,
    free: { perSecond: 500, burst: 7 },
    enterprise: { perSecond: 1, burst: 50_000 },
  })
  expect(maxOrganizations).toEqual({ unverified: 3, verified: 20 })
})

test('D-53 a tier keeps fewer receipts than NOEMA_MAX_RECEIPTS, and never more', () => {
  const text = '{"unverified":{"receipts":9},"enterprise":{"receipts":3}}'
  expect(read({ NOEMA_TIERS: text, NOEMA_MAX_RECEIPTS: '5' }).receiptsByTier).toEqual({
    ...{ unverified: 5, free: 5, business: 5 },
    ...{ enterprise: 3, staff: 5 },
  })
})

test('D-18 NOEMA_TIERS can be in a file', () => {
  const path = join(folder, 'tiers.json')
  writeFileSync(path, '{\n  "business": { "dailyMegabytes": 1 }\n}\n')
  expect(read({ NOEMA_TIERS_FILE: path }).caps.business?.dailyBytes).toBe(MiB)
  expect(unknownSettings({ NOEMA_TIERS_FILE: path })).toEqual([])
  expect(refuse({ NOEMA_TIERS_FILE: path, NOEMA_TIERS: '{}' })).toContain('NOEMA_TIERS_FILE are both set')
})

test('D-18 settings of 0.1.0 still work, and the service says what to write instead', () => {
  const old = {
    NOEMA_UNVERIFIED_DAILY_MEGABYTES: '3',
    NOEMA_UNVERIFIED_ORGANIZATIONS: '2',
    NOEMA_FREE_RATE: '2/5',
    NOEMA_BUSINESS_BRAINS: '4',
    NOEMA_ENTERPRISE_RATE: '9/90',
  }
  const { caps, rates, maxOrganizations } = read(old)
  expect(caps.unverified?.dailyBytes).toBe(3 * MiB)
  expect(caps.business).toEqual({ ...read({}).caps.business, brains: 4 })
  expect(rates).toMatchObject({ free: { perSecond: 2, burst: 5 }, enterprise: { perSecond: 9, burst: 90 } })
  expect(maxOrganizations.unverified).toBe(2)
  expect(unknownSettings(old)).toEqual([])
  const deprecated = findDeprecated(old)
  expect(deprecated?.names).toEqual(Object.keys(old))
  const instead = deprecated?.instead.match(/^NOEMA_TIERS='(.*)'$/)?.[1] ?? ''
  expect(read({ NOEMA_TIERS: instead })).toEqual(read(old))
  expect(findDeprecated({ NOEMA_TIERS: instead })).toBeUndefined()
})

test('D-18 an old setting may be set together with NOEMA_TIERS only if they agree', () => {
  const both = {
    NOEMA_FREE_BRAINS: '5',
    NOEMA_FREE_RATE: '2/5',
    NOEMA_TIERS: '{"free":{"brains":5,"rate":{"burst":5}}}',
  }
  expect(read(both)).toEqual(read({ NOEMA_FREE_BRAINS: '5', NOEMA_FREE_RATE: '2/5' }))
  expect(refuse({ ...both, NOEMA_FREE_BRAINS: '6' })).toBe(
    'NOEMA_FREE_BRAINS differs from free.brains in NOEMA_TIERS; remove NOEMA_FREE_BRAINS.',
  )
  expect(refuse({ ...both, NOEMA_FREE_RATE: '2/6' })).toContain('NOEMA_FREE_RATE differs from free.rate')
})

test.each([
  ['{"free":', /^NOEMA_TIERS is not usable: not JSON \(.+\)\.$/],
  ['{\n"free": nothing\n}', /^NOEMA_TIERS is not usable: not JSON \(.+\)\.$/],
  ['[]', /^NOEMA_TIERS is not usable: a JSON object\.$/],
  ['{"free":7}', /: free: a JSON object\.$/],
  ['{"staff":{}}', /: no key staff, only unverified, free, business, enterprise\.$/],
  ['{"free":{"brain":1}}', /: free: no key brain, only brains, /],
  ['{"enterprise":{"brains":1}}', /: enterprise: no key brains, only rate, receipts, dailyModelCents\.$/],
  ['{"free":{"brains":-1}}', /: free\.brains: /],
  ['{"free":{"brains":"many"}}', /: free\.brains: a whole number from 0 to \d+\.$/],
  ['{"free":{"dailyWrites":1.5}}', /: free\.dailyWrites: a whole number/],
  ['{"business":{"rate":{"burst":0}}}', /: business\.rate\.burst: /],
  ['{"business":{"rate":"2/5"}}', /: business\.rate: a JSON object\.$/],
])('D-18 NOEMA_TIERS=%j is refused in one line that names the path', (text, message) => {
  expect(refuse({ NOEMA_TIERS: text })).toMatch(message)
  expect(refuse({ NOEMA_TIERS: text })).not.toContain('\n')
})
