import { expect, test } from 'vitest'
import { createLifecycle } from './lifecycle.ts'
import { createLog } from './shared/log.ts'

test('D-82 resources are closed in the reverse order of their opening, each after the one before', async () => {
  const lifecycle = createLifecycle(createLog('silent'))
  const steps: string[] = []
  for (const name of ['database', 'workers', 'server'])
    lifecycle.open(name, name, async (resource) => {
      steps.push(`closing ${resource}`)
      await Promise.resolve()
      steps.push(`closed ${resource}`)
    })
  await lifecycle.close()
  expect(steps).toEqual(['server', 'workers', 'database'].flatMap((name) => [`closing ${name}`, `closed ${name}`]))
})

test('a failure to close one resource is logged and keeps nothing else open', async () => {
  const lines: string[] = []
  const lifecycle = createLifecycle(createLog('info', { write: (line) => void lines.push(line) }))
  let isClosed = false
  lifecycle.open('database', 1, () => {
    isClosed = true
  })
  lifecycle.open('server', 2, () => Promise.reject(new Error('stuck')))
  await lifecycle.close()
  expect(isClosed).toBe(true)
  expect(lines.join()).toContain('"resource":"server"')
})

test('a second close waits for the first', async () => {
  const lifecycle = createLifecycle(createLog('silent'))
  let closings = 0
  lifecycle.open('server', 1, () => {
    closings++
  })
  await Promise.all([lifecycle.close(), lifecycle.close()])
  expect(closings).toBe(1)
})
