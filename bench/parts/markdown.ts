import type { Effort, Machine } from './comparison.ts'
import { coresText, type Line, machineText, toCells } from './report.ts'

/** The result of a benchmark. */
export type Result = { name: string; about: string; floor: string; peer?: string | undefined; lines: readonly Line[] }

/** When, on what and how long it was measured. */
export type Circumstances = { measuredAt: Date; machine: Machine; effort: Effort }

/** A table in Markdown, its heads first. */
export const toPlainTable = ([heads = [], ...rows]: readonly string[][]): string => {
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
    toPlainTable(toCells(lines)),
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

const embeddingHeading = '\n## search while embedding\n'

const aboutEmbedding = (day: string): string => `
The quality of search while a Brain is being embedded, by the share of its passages that have a vector: nDCG@10, and in parentheses how often the first result is right. The gain is that of hybrid search over the better of the other two, with the 95 % interval of a paired bootstrap: where it includes 0, so many questions do not distinguish them. Documents are written in the order of their titles, as a folder is synchronized, so those that have a vector are no fair sample of all. Measured on ${day} by \`node bench/embedding.ts --docs <collection.json> …\`.`

/** The page with the section of search while embedding made of these tables. */
export const replaceEmbedding = (page: string, tables: readonly string[], measuredAt: Date): string => {
  const [rest] = page.split(embeddingHeading)
  const about = aboutEmbedding(measuredAt.toISOString().slice(0, 10))
  return `${rest}${embeddingHeading}${[about, ...tables].join('\n\n')}\n`
}

/** A page with the section of search while embedding that another has, which is measured by itself. */
export const keepEmbedding = (page: string, former: string): string => {
  const [, section] = former.split(embeddingHeading)
  return section === undefined ? page : `${page}${embeddingHeading}${section}`
}
