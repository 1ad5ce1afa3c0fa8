import type { BrainDetail } from '@noema/contracts/brains.ts'
import { useState } from 'react'
import { baseUrl } from '../../base-path.ts'
import { exportCode } from '../../code/transfer-code.ts'
import { Button } from '../../components/button.tsx'
import { Checkbox } from '../../components/choices.tsx'
import { ViewAsCode } from '../../components/code.tsx'
import { Panel } from '../../components/panel.tsx'
import { chooseSink } from '../../data/file-sink.ts'
import { exportTo } from '../../data/transfers.ts'
import { toAmount } from '../../plural.ts'
import { startLongWork } from '../../session/long-work.ts'
import { useSession } from '../../session/session.tsx'

/** Writes a whole Brain to a file, in the background. */
export const ExportPanel = ({ brain: { handle, counts } }: { brain: BrainDetail }) => {
  const session = useSession()
  const [history, setHistory] = useState(false)
  // The number of earlier versions is unknown before the export.
  const total = history ? undefined : counts.records + counts.statements + counts.documents
  const begin = async () => {
    const day = new Date().toISOString().slice(0, 10)
    const sink = await chooseSink(`${handle}-${day}${history ? '-history' : ''}.ndjson`)
    if (!sink) return
    await startLongWork({
      name: `Export of ${handle}`,
      run: async (reach) => {
        const lines = await exportTo(session, { handle, history, total, sink }, reach)
        reach.report({ text: `${toAmount(lines)} lines, complete.` })
      },
    })
  }
  return (
    <Panel title="Export">
      <p className="muted">
        All current content, as one file of JSON lines that you can import again. Exports continue while you use other
        pages, and no tier limits them.
      </p>
      <Checkbox
        label="Include history: all earlier versions, retractions and changes"
        checked={history}
        onChange={setHistory}
      />
      <div className="actions">
        <Button icon="download" onClick={() => void begin()}>
          Export
        </Button>
      </div>
      <ViewAsCode example={exportCode({ baseUrl, handle }, history)} />
    </Panel>
  )
}
