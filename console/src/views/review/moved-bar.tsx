import { Button } from '../../components/button.tsx'
import { Kbd } from '../../components/kbd.tsx'
import { Time } from '../../components/time.tsx'
import type { ChangeDetail } from '../../data/changes.ts'
import { Who } from '../../items/who.tsx'

const acts = { approved: 'approved this', rejected: 'rejected this', superseded: 'decided a part of this' } as const

/** The acts of others on a change while it was open. */
export const News = ({ change: { decision, decidedAt, decidedBy, decidedByActor } }: { change: ChangeDetail }) => {
  if (decision === 'pending') return 'This change was rebased onto newer content in the meantime.'
  const id = decidedByActor?.userId ?? decidedBy
  return (
    <>
      {id === undefined ? 'Someone' : <Who id={id} />} {acts[decision]} {decidedAt && <Time iso={decidedAt} />}.
    </>
  )
}

type MovedActionsProps = { onReopen: () => void; onNext: (() => void) | undefined }

/** In place of the decisions about a change that someone else decided or rebased while it was open. */
export const MovedActions = ({ onReopen, onNext }: MovedActionsProps) => (
  <>
    <Button onClick={onReopen}>Show it as it is now</Button>
    {onNext && (
      <Button tone="primary" onClick={onNext}>
        Next change <Kbd keys="j" />
      </Button>
    )}
  </>
)
