import type { BrainRecord } from '@noema/contracts/records.ts'
import { useQueryClient } from '@tanstack/react-query'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { Time } from '../../components/time.tsx'
import { useSession } from '../../session/session.tsx'

/** When a record is deleted by itself, and a button that keeps it. */
export const Expiry = ({ handle, record, isCurrent }: { handle: string; record: BrainRecord; isCurrent: boolean }) => {
  const { client, organization } = useSession()
  const cache = useQueryClient()
  if (record.expiresAt === undefined) return null
  const keep = async () => {
    await client.brain(handle).records.patch(record.id, { expiresAt: null }, { ifMatch: record.version })
    await cache.invalidateQueries({ queryKey: [organization.id, 'brain', handle] })
  }
  return (
    <p className="about">
      <span>
        Expires <Time iso={record.expiresAt} />
      </span>
      {isCurrent && (
        <ConfirmButton label="Keep it" title="Keep this record?" confirm="Keep record" onConfirm={keep}>
          <p>It is then no longer deleted at that time. In review mode, this waits for a decision.</p>
        </ConfirmButton>
      )}
    </p>
  )
}
