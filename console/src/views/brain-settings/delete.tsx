import type { BrainDetail } from '@noema/contracts/brains.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { KeyValues } from '../../components/key-values.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { Panel } from '../../components/panel.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { showToast } from '../../components/toast.ts'
import { deleteBrain, dependantsQuery, removeBrainQueries } from '../../data/brain-settings.ts'
import { toAmount } from '../../plural.ts'
import { useSession } from '../../session/session.tsx'

const count = (number: number, one: string): string => `${toAmount(number)} ${number === 1 ? one : `${one}s`}`

const maxNamed = 5

const name = (names: readonly string[]): string => {
  if (names.length === 0) return 'none'
  const rest = names.length - maxNamed
  return `${names.slice(0, maxNamed).join(', ')}${rest > 0 ? ` and ${toAmount(rest)} more` : ''}`
}

/** The items that depend on the Brain, shown before its deletion. */
const Dependants = ({ brain }: { brain: BrainDetail }) => {
  const query = dependantsQuery(useSession(), brain, useQueryClient())
  const { data, error, refetch } = useQuery(query)
  if (error) return <FailureNotice error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton lines={4} />
  return (
    <KeyValues
      items={[
        ['Agents with access', name(data.agents)],
        ['Triggers on this Brain', name(data.triggers)],
        ['Keys that are revoked', name(data.keys)],
        ['Webhooks that are deleted', name(data.webhooks)],
      ]}
    />
  )
}

const DeleteDialog = ({ brain, onClose }: { brain: BrainDetail; onClose: () => void }) => {
  const session = useSession()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const { handle, counts } = brain
  const remove = async () => {
    const { records, statements, documents } = await deleteBrain(queries, session, handle)
    await navigate({ to: '/brains' })
    removeBrainQueries(queries, session, handle)
    const erased = [count(records, 'record'), count(statements, 'statement'), count(documents, 'document')]
    showToast({ tone: 'good', title: `${handle} deleted`, text: `${erased.join(', ')} are being erased.` })
  }
  return (
    <ConfirmDialog
      isOpen
      title={`Delete ${handle}?`}
      confirm="Delete Brain"
      typed={handle}
      onConfirm={remove}
      onClose={onClose}
    >
      <p>
        {count(counts.records, 'record')}, {count(counts.statements, 'statement')} and{' '}
        {count(counts.documents, 'document')} with all their history, and {count(counts.pendingChanges, 'change')} that{' '}
        {counts.pendingChanges === 1 ? 'is' : 'are'} pending, are deleted at once. This cannot be undone. Its webhooks
        receive a last event. You can reuse the handle for another Brain.
      </p>
      <Dependants brain={brain} />
    </ConfirmDialog>
  )
}

/** Deletes a Brain. */
export const Delete = ({ brain }: { brain: BrainDetail }) => {
  const [isAsked, setAsked] = useState(false)
  const isHeld = brain.availability === 'held'
  return (
    <Panel title="Delete">
      <p className="muted">
        {isHeld
          ? 'A hold prevents the deletion of this Brain. Release it first.'
          : 'Deletes the Brain and all its content permanently. Export it first if you may need it again.'}
      </p>
      <div className="actions">
        <Button tone="danger" icon="trash" disabled={isHeld} onClick={() => setAsked(true)}>
          Delete this Brain
        </Button>
      </div>
      {isAsked && <DeleteDialog brain={brain} onClose={() => setAsked(false)} />}
    </Panel>
  )
}
