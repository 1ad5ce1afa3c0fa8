import type { BrainDocument } from '@noema/contracts/documents.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { useSession } from '../../session/session.tsx'

/** Takes a document out of what is served, after asking. */
export const RetireDocument = ({ handle, document }: { handle: string; document: BrainDocument }) => {
  const { client, organization } = useSession()
  const cache = useQueryClient()
  const [isAsked, setAsked] = useState(false)
  const retire = async () => {
    await client.brain(handle).documents.retire(document.id, { ifMatch: document.version })
    await cache.invalidateQueries({ queryKey: [organization.id, 'brain', handle] })
  }
  return (
    <>
      <Button size="small" onClick={() => setAsked(true)}>
        Retire
      </Button>
      <ConfirmDialog
        isOpen={isAsked}
        title={`Retire ${document.title ?? document.id}?`}
        confirm="Retire document"
        onConfirm={retire}
        onClose={() => setAsked(false)}
      >
        <p>
          Searches and lists no longer return it. Its versions can still be read by their numbers, and reverting the
          change serves it again. In a Brain that wants review, this waits for a decision.
        </p>
      </ConfirmDialog>
    </>
  )
}
