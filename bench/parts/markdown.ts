import type { Effort, Machine } from './comparison.ts'
import { coresText, type Line, machineText, toCells } from './report.ts'

/** The result of a benchmark. */
export type Result = { name: string; about: string; floor: string; peer?: string | undefined; lines: readonly Line[] }

/** When, on what and how long it was measured. */
export type Circumstances = { measuredAt: Date; machine: Machine; effort: Effort }

const toTable = (lines: readonly Line[]): string => {
  const [heads = [], ...rows] = toCells(lines)
  const widths = heads.map((head, at) => Math.max(head.length, ...rows.map((row) => row[at]?.length ?? 0)))
  const toRow = (cells: readonly string[]) => `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`
  return [heads, widths.map((width) => '-'.repeat(width)), ...rows].map(toRow).join('\n')
}

const toSection = ({ name, about, floor, peer, lines }: Result): string => {
  const spent = lines.flatMap(({ what, cores }) => (cores ? [`- ${what}: ${coresText(cores)}`] : []))
  return [
    `## ${name}`,
    about,
    `Floor: ${floor}`,
    ...(peer === undefined ? [] : [`Peer: ${peer}`]),
    toTable(lines),
    ...(spent.length > 0 ? [spent.join('\n')] : []),
  ].join('\n\n')
}

const introduction = `# Benchmarks

Written by \`npm run bench -- --docs\`; [how it is measured](../bench/README.md). Each figure is the median of the rounds, with the least and the greatest. Subjects take turns, so a slow minute of the machine falls on all of them, and each ratio is the median of the rounds’ ratios: above 1, Noema is better. The floor is the least that this machine needs for the same work, not a product; the peer is what one could use instead. Compare the ratios: the rates belong to one machine at one hour. Runs, deliveries, several nodes and the growth of a Brain were [measured once](benchmarks-measured-once.md).`

/** The page of the docs. */
export const toMarkdown = (results: readonly Result[], { measuredAt, machine, effort }: Circumstances): string => {
  const day = measuredAt.toISOString().slice(0, 10)
  const how = `${day}, ${effort.repetitions} rounds of ${effort.seconds} s; ${machineText(machine)}.`
  return `${[introduction, ...results.map(toSection), how].join('\n\n')}\n`
}
