import { expect, test } from 'vitest'
import { createMember, startTestApp } from '../test/app.ts'
import { startCollector } from '../test/collector.ts'
import { callEverything } from '../test/secrets/call-everything.ts'
import { findSecrets, plant } from '../test/secrets/plant.ts'

test('D-80 no span of any endpoint contains data of a Brain or an organization, a key or an email address', async () => {
  const collector = await startCollector()
  const app = await startTestApp({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, NOEMA_TRACES_PER_SECOND: '100000' })
  const member = await createMember(app)
  const brain = await plant(app, member, 'planted')
  await callEverything(app, brain, { authorization: `Bearer ${member.key}` })
  await app.close()
  const sent = JSON.stringify([collector.spans, collector.resources])
  expect(findSecrets(sent)).toEqual([])
  expect(sent).not.toMatch(/@example\.com|Bearer/)
  expect(sent).not.toContain(member.key)
  const routes = new Set(collector.spans.flatMap(({ attributes }) => attributes['http.route'] ?? []))
  expect(routes.size).toBeGreaterThan(50)
})
