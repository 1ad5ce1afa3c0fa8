import { readFileSync } from 'node:fs'

// Summarizes a CPU profile: `node bench/summarize-profile.ts <file.cpuprofile> …`. Self time by function, without idle
// time.

type Profile = {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[]
  samples: number[]
  timeDeltas: number[]
}

const shown = 30
const notWork = new Set(['(idle)', '(root)'])

const toPlace = (url: string, line: number): string => {
  const path = url
    .replace(/^file:\/\//, '')
    .replace(/^.*\/node_modules\//, '')
    .replace(/^.*\/(server|contracts)\/src\//, '$1/')
  return path === '' ? 'native' : `${path}:${line + 1}`
}

const summarize = (path: string): void => {
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(path, 'utf8')) as Profile
  const names = new Map(
    nodes.map(({ id, callFrame: { functionName, url, lineNumber } }) => [
      id,
      { name: functionName || '(anonymous)', place: toPlace(url, lineNumber) },
    ]),
  )
  const selfTime = new Map<string, number>()
  let busy = 0
  for (const [index, id] of samples.entries()) {
    const frame = names.get(id)
    if (!frame || notWork.has(frame.name)) continue
    const microseconds = timeDeltas[index] ?? 0
    const key = `${frame.name}  ${frame.place}`
    selfTime.set(key, (selfTime.get(key) ?? 0) + microseconds)
    busy += microseconds
  }
  const lines = [...selfTime].sort(([, a], [, b]) => b - a).slice(0, shown)
  process.stdout.write(`${path}: ${(busy / 1e6).toFixed(2)} s busy\n`)
  for (const [key, time] of lines) process.stdout.write(`${((time / busy) * 100).toFixed(1).padStart(5)} %  ${key}\n`)
}

for (const path of process.argv.slice(2)) summarize(path)
