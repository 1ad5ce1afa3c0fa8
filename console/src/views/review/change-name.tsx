import type { OrganizationChange } from '@noema/contracts/organization-changes.ts'
import { ItemName } from '../../items/item-link.tsx'
import { describeOperations } from './item-fields.ts'

type Target = OrganizationChange['targets'][number]

/** The target of a change by name: as the change proposes it, or else as the Brain knows it. */
const TargetName = ({ handle, target: { type, id, name } }: { handle: string; target: Target }) => {
  if (name !== undefined) return <span title={id}>{name}</span>
  return type === 'schema' ? id : <ItemName handle={handle} item={{ type, id }} />
}

type ChangeProps = { change: Pick<OrganizationChange, 'brain' | 'reason' | 'itemCount' | 'operations' | 'targets'> }

/** The first targets of a change by name, separated by commas. */
export const TargetNames = ({ change: { brain, targets } }: ChangeProps) =>
  targets.map((target, index) => (
    <span key={`${target.type} ${target.id}`}>
      {index > 0 && ', '}
      <TargetName handle={brain.handle} target={target} />
    </span>
  ))

/** The title of a change in a list: its reason, the name of its only target, or its operations. */
export const ChangeName = ({ change }: ChangeProps) => {
  const { brain, reason, itemCount, targets, operations } = change
  const [only] = itemCount === 1 ? targets : []
  if (reason !== null) return reason
  return only ? <TargetName handle={brain.handle} target={only} /> : describeOperations(operations)
}
