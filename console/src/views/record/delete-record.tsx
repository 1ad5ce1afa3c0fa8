import type { BrainRecord } from '@noema/contracts/records.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Dialog } from '../../components/dialog.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { useSession } from '../../session/session.tsx'

/** Deletes a record after asking. Its history can still be read, and a change undoes it. */
export const DeleteRecord = ({ handle, record }: { handle: string; record: BrainRecord }) => {
  const { client, organization } = useSession()
  const cache = useQueryClient()
  const [isAsked, setAsked] = useState(false)
  const deleting = useMutation({
    mutationFn: () => client.brain(handle).records.delete(record.id, { ifMatch: record.version }),
    onSuccess: async () => {
      setAsked(false)
      await cache.invalidateQueries({ queryKey: [organization.id, 'brain', handle] })
    },
  })
  return (
    <>
      <button type="button" className="button small" onClick={() => setAsked(true)}>
        Delete
      </button>
      {isAsked && (
        <Dialog title={`Delete ${record.slug ?? record.id}?`} onClose={() => setAsked(false)}>
          <p>
            The statements about it are retracted with it. Its history can still be read, and reverting the change
            brings it back.
          </p>
          <FailureNotice error={deleting.error ?? undefined} />
          <div className="dialog-actions">
            <button
              type="button"
              className="button danger"
              disabled={deleting.isPending}
              onClick={() => deleting.mutate()}
            >
              Delete record
            </button>
            <button type="button" className="button" onClick={() => setAsked(false)}>
              Keep it
            </button>
          </div>
        </Dialog>
      )}
    </>
  )
}
