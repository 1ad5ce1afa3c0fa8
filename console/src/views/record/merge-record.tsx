import type { BrainRecord } from '@noema/contracts/records.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { showToast } from '../../components/toast.ts'
import type { FoundItem } from '../../data/item-search.ts'
import { toRecordName } from '../../data/record-text.ts'
import { ItemPicker } from '../../items/item-picker.tsx'
import { useSession } from '../../session/session.tsx'

type MergeProps = { handle: string; record: BrainRecord }

const MergeDialog = ({ handle, record, onClose }: MergeProps & { onClose: () => void }) => {
  const { client, organization } = useSession()
  const cache = useQueryClient()
  const navigate = useNavigate()
  const [into, setInto] = useState<FoundItem>()
  const merge = async () => {
    if (!into) throw new Error('Choose the record that remains.')
    const options = { ifMatch: record.version }
    const { outcome } = await client.brain(handle).records.merge(record.id, { into: into.id }, options)
    await cache.invalidateQueries({ queryKey: [organization.id, 'brain', handle] })
    if (outcome === 'staged') showToast({ title: 'The merge waits for review.' })
    else await navigate({ to: '/brains/$handle/records/$id', params: { handle, id: into.id } })
  }
  return (
    <ConfirmDialog
      isOpen
      title={`Merge ${toRecordName(record)}`}
      confirm="Merge records"
      onConfirm={merge}
      onClose={onClose}
    >
      <ItemPicker handle={handle} type="record" label="Into the record" value={into} onChange={setInto} />
      <p>
        It gets the fields that it lacks, and all links and statements. This record&rsquo;s id then leads to it. A
        revert restores both. In review mode, the merge waits for a decision.
      </p>
    </ConfirmDialog>
  )
}

/** Merges a record into another one that represents the same thing. */
export const MergeRecord = (props: MergeProps) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button size="small" onClick={() => setOpen(true)}>
        Merge
      </Button>
      {isOpen && <MergeDialog {...props} onClose={() => setOpen(false)} />}
    </>
  )
}
