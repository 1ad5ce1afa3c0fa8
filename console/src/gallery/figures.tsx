import { Chart } from '../components/chart.tsx'
import { Code, CodeExamples } from '../components/code.tsx'
import { Panel } from '../components/panel.tsx'
import { Sparkline } from '../components/sparkline.tsx'
import { Stat } from '../components/stat.tsx'

const day = 86_400_000
const at = Array.from({ length: 30 }, (_, index) => Date.UTC(2026, 0, 1) + index * day)
const values = at.map((_, index) => Math.round(40 + 30 * Math.sin(index / 3)))
const writes = { name: 'Writes', values }
const searches = { name: 'Searches', values: values.map((value) => value * 2), tone: 'good' as const }

/** Figures, charts and code. */
export const Figures = () => (
  <>
    <div className="stats">
      <Stat label="Records" value={100_000} chart={<Sparkline values={values} label="Writes of 30 days" />} />
      <Stat label="Pending reviews" value={12} tone="warning" hint="the oldest since Monday" />
      <Stat label="Failing webhooks" value={1} tone="danger" />
    </div>
    <div className="columns">
      <Panel title="A chart">
        <Chart label="By day" series={[writes, searches]} at={at} isByDay />
        <Chart label="In bars" series={[writes, searches]} at={at} kind="bars" isStacked isByDay />
      </Panel>
      <Panel title="Code">
        <CodeExamples
          example={{
            curl: 'curl http://127.0.0.1:4100/v1/brains',
            sdk: 'await client.brains.list()',
            mcp: '{ "name": "search" }',
          }}
        />
        <Code label="Shell" code="npx noema sync ./docs --brain handbook" />
      </Panel>
    </div>
  </>
)
