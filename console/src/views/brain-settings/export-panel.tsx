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
import { startLongWork } from '../../session/long-work.ts'
import { useSession } from '../../session/session.tsx'

/** Writes a whole Brain into a file, while other pages are used. */
export const ExportPanel = ({ brain: { handle, counts } }: { brain: BrainDetail }) => {
  const session = useSession()
  const [history, setHistory] = useState(false)
  // How many earlier versions there are is not known before they come.
  const total = history ? undefined : counts.records + counts.statements + counts.documents
  const begin = async () => {
    const day = new Date().toISOString().slice(0, 10)
    const sink = await chooseSink(`${handle}-${day}${history ? '-history' : ''}.ndjson`)
    if (!sink) return
    await startLongWork({
      name: `Export of ${handle}`,
      run: async (reach) => {
        const lines = await exportTo(session, { handle, history, total, sink }, reach)
        reach.tell({ text: `${lines.toLocaleString('en')} lines, whole to the last.` })
      },
    })
  }
  return (
    <Panel title="Export">
      <p className="muted">
        Everything in it as it is now, as one file of JSON lines that an import takes back. Exports go on while you use
        other pages, and are never limited by a tier.
      </p>
      <Checkbox
        label="With history: every earlier version, retraction and change"
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
