import type { BrainDetail } from '@noema/contracts/brains.ts'
import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { DropZone } from '../../components/drop-zone.tsx'
import { TextBlock } from '../../components/json.tsx'
import { FailureNotice, Notice } from '../../components/notice.tsx'
import { Panel } from '../../components/panel.tsx'
import { ImportError, type Imported, importFrom, readLine } from '../../data/transfers.ts'
import { toAmount } from '../../plural.ts'
import { startLongWork } from '../../session/long-work.ts'
import { useSession } from '../../session/session.tsx'

const parts = ['schemas', 'changes', 'records', 'statements', 'documents', 'dates'] as const

const describe = (imported: Imported): string =>
  parts
    .filter((part) => imported[part] > 0)
    .map((part) => `${toAmount(imported[part])} ${part}`)
    .join(', ') || 'nothing: the file was that of an empty Brain'

type Outcome = { imported: Imported } | { error: unknown; line: string | undefined; number: number | undefined }

/** The outcome: the imported content, or the refused line and the reason. */
const Result = ({ outcome }: { outcome: Outcome }) => {
  if ('imported' in outcome)
    return (
      <Notice tone="good" title="Imported">
        <p>{describe(outcome.imported)}.</p>
      </Notice>
    )
  const { error, line, number } = outcome
  return (
    <FailureNotice error={error}>
      {number !== undefined && (
        <>
          {line !== undefined && <TextBlock label={`Line ${number} of the file`} text={line} wraps />}
          <p>Nothing was imported. Correct this line or choose another file, then drop it again.</p>
        </>
      )}
    </FailureNotice>
  )
}

/** Uploads the file in the background. The outcome is shown here and in the tray. */
const useImport = (handle: string) => {
  const session = useSession()
  const queries = useQueryClient()
  const [outcome, setOutcome] = useState<Outcome>()
  const [isRunning, setRunning] = useState(false)
  const begin = async (file: File) => {
    setOutcome(undefined)
    setRunning(true)
    await startLongWork({
      name: `Import into ${handle}`,
      run: async (reach) => {
        try {
          const imported = await importFrom(session, { handle, file }, reach)
          reach.report({ text: `${describe(imported)}.` })
          setOutcome({ imported })
        } catch (error) {
          const number = error instanceof ImportError ? error.line : undefined
          const line = number === undefined ? undefined : await readLine(file, number).catch(() => undefined)
          if (!reach.signal.aborted) setOutcome({ error, line, number })
          throw error
        }
      },
    })
    setRunning(false)
    await queries.invalidateQueries({ queryKey: [session.organization.id, 'brain', handle] })
  }
  return { begin, outcome, isRunning }
}

/** Loads the file of an export into a Brain that was never written to. */
export const ImportPanel = ({ brain }: { brain: BrainDetail }) => {
  const { handle, stateVersion, counts, availability } = brain
  const { begin, outcome, isRunning } = useImport(handle)
  const isEmpty = stateVersion === 0 && counts.pendingChanges === 0
  return (
    <Panel title="Import">
      {isEmpty ? (
        <>
          <p className="muted">
            Imports the file of an export, all or nothing. The file includes the name, purpose, mode, rules and schema.
          </p>
          <DropZone
            label="Choose a file"
            hint={availability === 'held' ? 'The hold must be released first.' : 'or drop an .ndjson file here.'}
            accept=".ndjson,application/x-ndjson"
            isSingle
            isDisabled={isRunning || availability === 'held'}
            onFiles={([file]) => file && void begin(file)}
          />
        </>
      ) : (
        <p className="muted">
          You can import only into an empty Brain, and this Brain has content.{' '}
          <Link to="/brains" search={{ isNew: true }}>
            Create a Brain
          </Link>{' '}
          and open its settings.
        </p>
      )}
      {outcome && <Result outcome={outcome} />}
    </Panel>
  )
}
