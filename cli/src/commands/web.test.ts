import { startScriptedServer } from '@noema/sdk/test/scripted-server.ts'
import { expect, test } from 'vitest'
import { runCli } from '../test/run-cli.ts'

const time = '2026-01-02T03:04:05.000Z'
const webSource = {
  ...{ source: 'web', refreshHours: 24, pages: { total: 2, waiting: 1, failing: 1, missing: 0 }, nextRefreshAt: time },
  ...{ refreshedAt: null, lastChange: null, problem: null, paused: null, author: { type: 'key', id: 'key_1' } },
  ...{ createdAt: time, updatedAt: time },
}
const page = {
  ...{
    url: 'https://example.com/',
    documentId: 'https://example.com/',
    status: 'failing',
    title: null,
    httpStatus: 500,
  },
  ...{ error: 'The site answered with the status 500.', checkedAt: time, fetchedAt: null, nextAt: time },
}

test('WEB-01 web add sends URLs, of a source and an interval that the command names', async () => {
  const { url, requests } = await startScriptedServer(() => ({ data: { webSource } }))
  const answer = await runCli(['web', 'add', 'https://example.com/', '--brain', 'space'], url)
  expect(answer).toEqual({ code: 0, stdout: 'web: 2 pages\n', stderr: '' })
  const every = (text: string) =>
    runCli(
      ['web', 'add', 'https://a.com/', 'https://b.com/', '--source', 'wiki', '--every', text, '--brain', 'space'],
      url,
    )
  await every('7d')
  await every('never')
  expect((await every('soon')).code).toBe(2)
  expect(requests.map(({ url: path, body }) => [path, JSON.parse(body)])).toEqual([
    ['/v1/brains/space/web-sources/web/pages', { add: ['https://example.com/'] }],
    ['/v1/brains/space/web-sources/wiki/pages', { add: ['https://a.com/', 'https://b.com/'], refreshHours: 168 }],
    ['/v1/brains/space/web-sources/wiki/pages', { add: ['https://a.com/', 'https://b.com/'], refreshHours: null }],
  ])
})

test('WEB-02 web list, refresh, remove and delete; removing asks', async () => {
  const paused = { ...webSource, paused: { reason: 'The access ended.' } }
  const { url, requests } = await startScriptedServer(({ method, url: path }) => {
    if (method === 'DELETE') return { data: { deleted: true } }
    if (method === 'POST') return { data: { webSource: paused } }
    const more = { cursor: 'c', hasMore: false }
    return {
      data: path?.includes('/web?') ? { webSource, pages: [page], ...more } : { webSources: [webSource], ...more },
    }
  })
  const run = (...argv: string[]) => runCli(['web', ...argv, '--brain', 'space'], url)
  expect((await run('list')).stdout).toBe('web\t2\t1\t2026-01-02 03:04\n')
  expect((await run('list', 'web')).stdout).toBe(
    'failing\thttps://example.com/\t2026-01-02 03:04\tThe site answered with the status 500.\n',
  )
  expect(await run('refresh', 'web')).toMatchObject({ code: 0, stderr: 'noema: web is paused: The access ended.\n' })
  expect((await run('remove', 'https://example.com/')).code).toBe(2)
  expect((await run('remove', 'https://example.com/', '--yes')).code).toBe(0)
  expect(JSON.parse(requests.at(-1)?.body ?? '')).toEqual({ remove: ['https://example.com/'] })
  expect((await run('delete', 'web')).code).toBe(2)
  expect((await run('delete', 'web', '--yes')).code).toBe(0)
  expect(requests.at(-1)).toMatchObject({ method: 'DELETE', url: '/v1/brains/space/web-sources/web' })
})
