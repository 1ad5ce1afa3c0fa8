import type { BrainRecord } from '@noema/contracts/records.ts'
import { useQueryClient } from '@tanstack/react-query'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { toRecordName } from '../../data/record-text.ts'
import { useSession } from '../../session/session.tsx'

/** Deletes a record, after a confirmation. Its history stays readable, and a change can undo it. */
export const DeleteRecord = ({ handle, record }: { handle: string; record: BrainRecord }) => {
  const { client, organization } = useSession()
  const cache = useQueryClient()
  const remove = async () => {
    await client.brain(handle).records.delete(record.id, { ifMatch: record.version })
    await cache.invalidateQueries({ queryKey: [organization.id, 'brain', handle] })
  }
  return (
    <ConfirmButton label="Delete" title={`Delete ${toRecordName(record)}?`} confirm="Delete record" onConfirm={remove}>
      <p>
        The statements about it are retracted too. You can still read its history, and a revert restores it. In review
        mode, the deletion waits for a decision.
      </p>
    </ConfirmButton>
  )
}
