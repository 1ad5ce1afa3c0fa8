import { coresText, machineText, toCells } from '../parts/report.ts'
import type { Result } from '../parts/results.ts'
import { drawChart, escapeText } from './chart.ts'
import { listCharts } from './charts.ts'

// The report as one page that loads nothing from elsewhere.

const style = `
  :root { color-scheme: light dark; --ink: #1a1a1a; --faint: #5f5f5f; --rule: #dddddd; --paper: #ffffff }
  @media (prefers-color-scheme: dark) { :root { --ink: #ececec; --faint: #a0a0a0; --rule: #333333; --paper: #161616 } }
  body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 76rem; margin: 2rem auto; padding: 0 1rem }
  h1 { font-size: 1.5rem } h2 { font-size: 1.15rem; margin-top: 2.5rem } .faint { color: var(--faint) }
  .wide { overflow-x: auto } table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .9rem }
  th, td { text-align: left; padding: .25rem .9rem .25rem 0; border-bottom: 1px solid var(--rule); white-space: nowrap }
  .charts { display: flex; flex-wrap: wrap; gap: 1rem; margin-top: 1rem } .charts svg { max-width: 100%; height: auto }`

const toTable = (result: Result): string => {
  const [heads = [], ...rows] = toCells(result.lines)
  const toRow = (cells: readonly string[], tag: string) =>
    `<tr>${cells.map((cell) => `<${tag}>${escapeText(cell)}</${tag}>`).join('')}</tr>`
  const body = rows.map((row) => toRow(row, 'td')).join('\n')
  return `<div class="wide"><table><thead>${toRow(heads, 'th')}</thead><tbody>\n${body}\n</tbody></table></div>`
}

const toSection = (result: Result): string => {
  const { benchmark, about, floor, peer, lines, effort, machine, measuredAt } = result
  const charts = listCharts(result).map(({ chart }) => drawChart(chart))
  const spent = lines.flatMap(({ what, cores }) =>
    cores ? [`<li>${escapeText(`${what}: ${coresText(cores)}`)}</li>`] : [],
  )
  const how = `${measuredAt}, ${effort.repetitions} rounds of ${effort.seconds} s after ${effort.warmUpSeconds} s; ${machineText(machine)}`
  return [
    `<section><h2>${escapeText(benchmark)}</h2><p>${escapeText(about)}</p>`,
    `<p class="faint">Floor: ${escapeText(floor)}</p>`,
    peer === undefined ? '' : `<p class="faint">Peer: ${escapeText(peer)}</p>`,
    charts.length > 0 ? `<div class="charts">${charts.join('')}</div>` : '',
    toTable(result),
    spent.length > 0 ? `<ul class="faint">${spent.join('')}</ul>` : '',
    `<p class="faint">${escapeText(how)}</p></section>`,
  ].join('\n')
}

export const howToRead =
  'Each figure is the median of the rounds, with the least and the greatest. Subjects take turns, so a slow minute of the machine falls on all of them, and each ratio is the median of the rounds’ ratios: above 1, Noema is better. The floor is the least that this machine needs for the same work, not a product; the peer is what one could use instead. Compare the ratios: the rates belong to one machine at one hour.'

/** The page of all results. */
export const toPage = (results: readonly Result[]): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Noema: benchmarks</title><style>${style}</style></head>
<body><h1>Noema: benchmarks</h1><p>${escapeText(howToRead)}</p>
${results.map(toSection).join('\n')}
</body></html>
`
