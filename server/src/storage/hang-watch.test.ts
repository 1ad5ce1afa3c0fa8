import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import pg from 'pg'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { createLog } from '../shared/log.ts'
import { watchForHangs } from './hang-watch.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A watch of a pool of a database that accepts connections and never says a word. */
const watchSilence = async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const config = { host: '127.0.0.1', port }
  const pool = new pg.Pool(config)
  const log = createLog('fatal', { write: () => {} })
  const watch = watchForHangs([pool], { config, Client: pg.Client, primary: undefined }, { log })
  onTestFinished(() => {
    watch.stop()
    server.close()
  })
  const waiting = new pg.Client(config)
  const end = vi.spyOn(waiting, 'end')
  return { pool, watch, waiting, end }
}

test('SUR-09 five seconds after a database stops answering, waiting callers fail, and from then on new ones at once', async () => {
  const { pool, watch, waiting, end } = await watchSilence()
  pool.emit('acquire', waiting)
  await vi.advanceTimersByTimeAsync(3_500)
  expect(watch.isSilent).toBe(false)
  expect(end).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1_500)
  expect(watch.isSilent).toBe(true)
  expect(end).toHaveBeenCalledOnce()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(watch.isSilent).toBe(true)
})

test('SUR-09 the first waiting caller detects a database that stopped answering while there were no connections', async () => {
  const { watch } = await watchSilence()
  const wait = { since: performance.now() }
  watch.waits.add(wait)
  await vi.advanceTimersByTimeAsync(5_000)
  expect(watch.isSilent).toBe(true)
  watch.waits.delete(wait)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(watch.isSilent).toBe(true)
})

test('without a long wait the database is not checked', async () => {
  const { pool, waiting, end } = await watchSilence()
  const connect = vi.spyOn(pg.Client.prototype, 'connect')
  onTestFinished(() => connect.mockRestore())
  for (let turn = 0; turn < 20; turn++) {
    pool.emit('acquire', waiting)
    await vi.advanceTimersByTimeAsync(1_000)
    pool.emit('release', undefined, waiting)
  }
  expect(connect).not.toHaveBeenCalled()
  expect(end).not.toHaveBeenCalled()
})
