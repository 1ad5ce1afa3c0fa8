import { beforeAll, expect } from 'vitest'
import type { useRuns } from './use-runs.fixture.ts'

/** Settings that allow the priced provider. */
export const pricedSettings = { NOEMA_PROVIDER_ALLOW: '127.0.0.1:*,[::1]:*,localhost:*' }

/** So many tokens of input cost a cent. */
export const centOfTokens = 8_000

/**
 * Gives the organization of runs the provider `priced`. Its address decides the price of a model: this path looks like one with 1.25 dollars for
 * a million tokens.
 */
export const usePricedProvider = ({ call, scripted }: Pick<ReturnType<typeof useRuns>, 'call' | 'scripted'>): void => {
  beforeAll(async () => {
    const { port } = new URL(scripted.models.url)
    const baseUrl = `http://localhost:${port}/x.openai.azure.com/v1`
    const body = { kind: 'openai-compatible', baseUrl, apiKey: 'scripted' }
    expect((await call('PUT', '/v1/providers/priced', body)).status).toBeLessThan(300)
  })
}
