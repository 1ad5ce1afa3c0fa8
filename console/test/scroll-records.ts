import { type Task, traceTasks } from './main-thread-tasks.ts'
import { startMeasuredConsole } from './measured-console.ts'

// Measures the scrolling of the console's list of records. It scrolls a Brain of 100,000 records to its end in a real browser and
// prints the longest task of the main thread, by CPU time (meaningful on a busy machine) and by elapsed time. Run: node
// console/test/scroll-records.ts [records] [rounds]

const count = Number(process.argv[2] ?? 100_000)
const rounds = Number(process.argv[3] ?? 5)
const perBatch = 1_000
const say = (text: string) => process.stdout.write(`${text}\n`)

const record = (index: number) => ({
  ...{ op: 'record.put', id: `rec-${String(index).padStart(7, '0')}`, kind: 'person' },
  fields: {
    name: `Person ${index}`,
    email: `person${index}@example.com`,
    level: index % 9,
    notes: 'Seen twice. '.repeat(4),
  },
})

const measured = await startMeasuredConsole()
const { page, call } = measured
await call('PUT', '/v1/brains/large', {})
for (let first = 0; first < count; first += perBatch) {
  const operations = Array.from({ length: Math.min(perBatch, count - first) }, (_, index) => record(first + index))
  await call('POST', '/v1/brains/large/batch', { operations })
}

// Scrolls like a wheel: one screen per frame, as far as rows are loaded, until the last row appears.
const scrollToEnd = `new Promise((resolve) => {
  const frame = document.querySelector('.data-table')
  const step = () => {
    frame.scrollTop += frame.clientHeight
    if (frame.querySelector('tr[data-row="${count - 1}"]')) resolve()
    else requestAnimationFrame(step)
  }
  step()
})`

// Then scrolls through the loaded rows, up and down.
const scrollThrough = `new Promise((resolve) => {
  const frame = document.querySelector('.data-table')
  let left = 300
  const step = () => {
    frame.scrollTop = Math.abs(Math.sin(left / 20)) * frame.scrollHeight
    if (left-- === 0) resolve()
    else requestAnimationFrame(step)
  }
  step()
})`

type Measured = { seconds: number; tasks: Task[] }

const measure = async (script: string): Promise<Measured> => {
  const readTasks = await traceTasks(page)
  const began = performance.now()
  await page.evaluate(script)
  const seconds = (performance.now() - began) / 1000
  return { seconds, tasks: await readTasks() }
}

const maxTask = 50
const toSum = (tasks: readonly Task[]): number => tasks.reduce((sum, { cpu }) => sum + cpu, 0) / 1000
const toMax = (tasks: readonly Task[], by: 'cpu' | 'wall'): number =>
  tasks.reduce((max, task) => Math.max(max, task[by]), 0)
const countLong = (tasks: readonly Task[], by: 'cpu' | 'wall'): number =>
  tasks.filter((task) => task[by] > maxTask).length

/** The parts of the task with the most CPU time. */
const describeLongest = (tasks: readonly Task[]): string => {
  const parts = tasks.toSorted((a, b) => b.cpu - a.cpu)[0]?.parts ?? []
  return parts
    .slice(0, 8)
    .map(({ name, cpu }) => `${name} ${cpu.toFixed(1)}`)
    .join(', ')
}

const report = (name: string, { seconds, tasks }: Measured) => {
  say(
    `${name}: ${seconds.toFixed(1)} s, of which the main thread ran ${toSum(tasks).toFixed(1)} s. ` +
      `Longest task: ${toMax(tasks, 'cpu').toFixed(1)} ms run, ${toMax(tasks, 'wall').toFixed(1)} ms passed; ` +
      `beyond ${maxTask} ms: ${countLong(tasks, 'cpu')} by time run, ${countLong(tasks, 'wall')} by time passed`,
  )
  say(`  the longest: ${describeLongest(tasks)}`)
}

for (let round = 1; round <= rounds; round++) {
  await page.goto('/brains/large/records?kind=person')
  await page.locator('tr[data-row]').first().waitFor()
  report(`Round ${round}, ${count.toLocaleString('en')} records to the end`, await measure(scrollToEnd))
  report(`Round ${round}, through all that is loaded`, await measure(scrollThrough))
}
await measured.close()
