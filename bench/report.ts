import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { readResults, resultsFolder } from './parts/results.ts'
import { drawChart } from './report/chart.ts'
import { listCharts } from './report/charts.ts'
import { toMarkdown } from './report/markdown.ts'
import { toPage } from './report/page.ts'

// Makes one page of what the benchmarks found, with charts of what grows: bench/results/report.html. With --docs also the page
// of the docs and its charts. Run: node bench/report.ts [--results folder] [--docs]

const { values } = parseArgs({
  options: { results: { type: 'string', default: resultsFolder }, docs: { type: 'boolean', default: false } },
})
const docs = fileURLToPath(new URL('../docs/', import.meta.url))
const charts = 'benchmarks'
/** The order in which a reader wants them; others follow. */
const order = ['writes', 'batch', 'pages', 'tail', 'search', 'runs', 'deliveries', 'nodes', 'events', 'passages']

const place = (name: string): number => (order.includes(name) ? order.indexOf(name) : order.length)
const results = readResults(values.results).sort((one, other) => place(one.benchmark) - place(other.benchmark))
const page = join(values.results, 'report.html')
writeFileSync(page, toPage(results))
process.stdout.write(`${page}\n`)
if (values.docs) {
  const folder = join(docs, charts)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  for (const { file, chart } of results.flatMap(listCharts)) writeFileSync(join(folder, file), drawChart(chart))
  writeFileSync(join(docs, 'benchmarks.md'), toMarkdown(results, charts))
  process.stdout.write(`${join(docs, 'benchmarks.md')}\n`)
}
