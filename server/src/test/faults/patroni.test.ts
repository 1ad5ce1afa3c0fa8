import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { TestApp, TestBrain } from '../app.ts'
import { findMissing, startPatroniCluster } from '../patroni-cluster.ts'
import { createBrains, distributeAt, expectWhole, startMaking, startOn, startWriting } from './citus-scene.ts'
import { startProbe } from './probe.ts'

const startCluster = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'noema-patroni-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const cluster = await startPatroniCluster(folder)
  onTestFinished(cluster.stop)
  await distributeAt(cluster.url)
  return cluster
}

/** Clients that write to a Brain, and one that reads it. */
const startTraffic = async (app: TestApp, brain: TestBrain) => {
  // Servers take their time to return, and each write is checked at the end.
  const writing = await startWriting({ app, brain, pauseMilliseconds: 400 })
  const probe = startProbe(app.base, { brainPath: `${brain.path}/records`, secret: brain.key })
  onTestFinished(probe.stop)
  return {
    ...writing,
    isRefused: () => probe.answers.at(-1)?.status === 503,
    /** Checks that nothing acknowledged is lost, and that every read was answered or refused in time. */
    verify: async () => {
      await probe.stop()
      await writing.verify()
      const { answers } = probe
      expect(answers.filter(({ status, retryAfter }) => status !== 200 && !(status === 503 && retryAfter))).toEqual([])
      expect(Math.max(...answers.map(({ milliseconds }) => milliseconds))).toBeLessThan(30_000)
    },
  }
}

test('SCL-06 IDM-04 EVT-03 WHK-07 Patroni replaces a worker and the coordinator whose disks are lost: their Brains return 503 meanwhile, continue on the standby, and lose nothing acknowledged', async ({
  skip,
}) => {
  const missing = findMissing()
  skip(missing !== undefined, `they need ${missing}`)
  const cluster = await startCluster()
  const app = await startOn(cluster.url)
  const brains = await createBrains(app)
  const { port } = await cluster.findPrimary(1)
  const traffic = await Promise.all(
    brains.map(async ({ brain, port: own }) => ({ ...(await startTraffic(app, brain)), isOfWorker: own === port })),
  )
  const [ofWorker, ofOthers] = [true, false].map((is) => traffic.filter(({ isOfWorker }) => isOfWorker === is))
  if (!ofWorker?.length || !ofOthers?.length) throw new Error('a worker has no Brain')
  const progress = (writers: typeof traffic) => Promise.all(writers.map((writer) => writer.progress(10)))
  const [first] = brains
  if (!first) throw new Error('there is no Brain')
  const stopMaking = startMaking(app, first.brain, 50)
  await progress(traffic)

  await cluster.loseDisk(1)
  await expect.poll(() => ofWorker.every(({ isRefused }) => isRefused())).toBe(true)
  await progress(ofOthers)
  await progress(ofWorker)
  await cluster.waitForStandby(1)

  const restart = await cluster.loseMachine(0)
  await expect.poll(() => traffic.every(({ isRefused }) => isRefused())).toBe(true)
  await progress(traffic)
  restart()
  await cluster.waitForStandby(0)

  await progress(traffic)
  await stopMaking()
  for (const writer of traffic) await writer.verify()
  await expectWhole(app)
}, 600_000)
