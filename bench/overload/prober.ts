import { parentPort, workerData } from 'node:worker_threads'

// Asks whether the process lives, ten times a second, on a thread of its own, and tells the slowest answers when it is asked.

const { url } = workerData as { url: string }
const times: number[] = []

setInterval(async () => {
  const began = performance.now()
  await fetch(url)
    .then((response) => response.text())
    .catch(() => undefined)
  times.push(performance.now() - began)
}, 100)

parentPort?.on('message', () => parentPort?.postMessage(times.splice(0)))
