import type { BrainDocument } from '@noema/contracts/documents.ts'
import { useQueryClient } from '@tanstack/react-query'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { useSession } from '../../session/session.tsx'

/** Retires a document, after a confirmation. */
export const RetireDocument = ({ handle, document }: { handle: string; document: BrainDocument }) => {
  const { client, organization } = useSession()
  const cache = useQueryClient()
  const retire = async () => {
    await client.brain(handle).documents.retire(document.id, { ifMatch: document.version })
    await cache.invalidateQueries({ queryKey: [organization.id, 'brain', handle] })
  }
  return (
    <ConfirmButton
      label="Retire"
      title={`Retire ${document.title ?? document.id}?`}
      confirm="Retire document"
      onConfirm={retire}
    >
      <p>
        Searches and lists no longer return it. You can still read its versions by number, and a revert restores it. In
        review mode, this waits for a decision.
      </p>
    </ConfirmButton>
  )
}
