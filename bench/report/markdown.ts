import { coresText, machineText, toCells } from '../parts/report.ts'
import type { Result } from '../parts/results.ts'
import { listCharts } from './charts.ts'
import { howToRead } from './page.ts'

// The report as a page of the docs, whose charts stand in files beside it.

const toTable = (result: Result): string => {
  const [heads = [], ...rows] = toCells(result.lines)
  const widths = heads.map((head, at) => Math.max(head.length, ...rows.map((row) => row[at]?.length ?? 0)))
  const toRow = (cells: readonly string[]) => `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`
  return [heads, widths.map((width) => '-'.repeat(width)), ...rows].map(toRow).join('\n')
}

const toSection = (folder: string) => (result: Result) => {
  const { benchmark, about, floor, peer, lines, effort, machine, measuredAt } = result
  const charts = listCharts(result).map(({ file, chart }) => `![${chart.title}](${folder}/${file})`)
  const spent = lines.flatMap(({ what, cores }) => (cores ? [`- ${what}: ${coresText(cores)}`] : []))
  return [
    `## ${benchmark}`,
    about,
    `Floor: ${floor}`,
    ...(peer === undefined ? [] : [`Peer: ${peer}`]),
    ...(charts.length > 0 ? [charts.join('\n')] : []),
    toTable(result),
    ...(spent.length > 0 ? [spent.join('\n')] : []),
    `${measuredAt.slice(0, 10)}, ${effort.repetitions} rounds of ${effort.seconds} s; ${machineText(machine)}.`,
  ].join('\n\n')
}

/** The page of the docs; its charts stand in `folder` beside it. */
export const toMarkdown = (results: readonly Result[], folder: string): string =>
  `# Benchmarks\n\nWritten by \`npm run bench:report -- --docs\` after \`npm run bench\`; [how it is measured](../bench/README.md). ${howToRead}\n\n${results.map(toSection(folder)).join('\n\n')}\n`
