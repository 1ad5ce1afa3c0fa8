import { expect, test } from 'vitest'
import { forgetSites } from './refresh-sources.ts'
import { toHtml, useSite, useWebSources } from './use-web-sources.fixture.ts'

// Sites that several nodes call: their works run here one after the other.

const { app, site, createWork, pass, start, add, readPage } = useWebSources({ NOEMA_WEB_PAUSE_MS: '20' })
const elsewhere = useSite()

test('WEB-16 one node at a time calls a site, and another goes on once it is free', async () => {
  const { brain } = await start()
  const other = await start()
  const [one, two] = [createWork('one'), createWork('two')]
  for (const path of ['/a', '/b']) site.pages.set(path, toHtml('Page', `Text of ${path}.`))
  await add(brain, ['/a'])
  await pass(one)
  expect(site.takePaths()).toEqual(['/a'])
  await add(other.brain, ['/b'])
  await pass(two)
  expect(site.takePaths()).toEqual([])
  expect(await readPage(other.brain, '/b')).toMatchObject({ status: 'waiting' })
  app.clock.advance({ minutes: 2 })
  await pass(two)
  expect(site.takePaths()).toEqual(['/b'])
  expect(await readPage(other.brain, '/b')).toMatchObject({ status: 'current' })
})

test('WEB-16 a site that asked one node to wait is asked by none, also after a restart, and is forgotten at last', async () => {
  const { brain } = await start()
  site.pages.set('/busy', (response) => response.writeHead(429, { 'retry-after': '7200' }).end())
  site.pages.set('/calm', toHtml('Page', 'Calm.'))
  await add(brain, ['/busy'])
  await pass(createWork('one'))
  expect(site.takePaths()).toEqual(['/busy'])
  await add(brain, ['/calm'])
  app.clock.advance({ minutes: 2 })
  await pass(createWork('two'))
  expect(site.takePaths()).toEqual([])
  expect(await readPage(brain, '/calm')).toMatchObject({ error: expect.stringContaining('asked to wait until') })
  site.pages.set('/busy', toHtml('Page', 'Busy.'))
  app.clock.advance({ minutes: 125 })
  await pass(createWork('two'))
  expect(site.takePaths().sort()).toEqual(['/busy', '/calm'])
  const { deps } = app.app
  const count = async () => (await app.database.pool.query('select from web_sites')).rows.length
  await forgetSites(deps)
  expect(await count()).toBe(1)
  app.clock.advance({ days: 2 })
  await forgetSites(deps)
  expect(await count()).toBe(0)
})

test('WEB-07 a site to which another one redirects asks to wait for itself alone', async () => {
  const { brain } = await start()
  elsewhere.pages.set('/busy', (response) => response.writeHead(429, { 'retry-after': '172800' }).end())
  elsewhere.pages.set('/calm', toHtml('Page', 'Calm.'))
  site.pages.set('/1-out', (response) => response.writeHead(302, { location: `${elsewhere.base}/busy` }).end())
  site.pages.set('/2-here', toHtml('Page', 'Here.'))
  await add(brain, ['/1-out', '/2-here'])
  await pass(createWork('one'))
  expect(await readPage(brain, '/1-out')).toMatchObject({ status: 'failing', httpStatus: 429 })
  expect(await readPage(brain, '/2-here')).toMatchObject({ status: 'current' })
  elsewhere.takePaths()
  await brain.call('POST', '/web-sources/wiki/pages', { add: [`${elsewhere.base}/calm`] })
  await pass(createWork('one'))
  expect(elsewhere.takePaths()).toEqual([])
})
