import { Button } from '../../components/button.tsx'
import { Combobox } from '../../components/combobox.tsx'
import { TextInput } from '../../components/field.tsx'
import { SearchInput } from '../../components/search-input.tsx'
import type { AuditFilter } from '../../data/audit.ts'
import { auditActions } from '../../data/audit-actions.ts'
import type { Member } from '../../data/members.ts'

const actions = auditActions.map((action) => ({ value: action, name: action }))

type AuditFiltersProps = { filter: AuditFilter; members: readonly Member[]; onChange: (given: AuditFilter) => void }

/** Filters the log by act, actor, target and date. */
export const AuditFilters = ({ filter, members, onChange }: AuditFiltersProps) => {
  const { action, actor, target, from, to } = filter
  const people = members.map(({ userId, email }) => ({ value: userId, name: email }))
  const isKnown = actor === undefined || people.some(({ value }) => value === actor)
  const isFiltered = Object.values(filter).some((value) => value !== undefined)
  return (
    <div className="audit-filters">
      <Combobox
        label="Action"
        items={actions}
        value={action}
        placeholder="Any"
        onChange={(next) => onChange({ action: next })}
      />
      <Combobox
        label="Actor"
        items={isKnown ? people : [...people, { value: actor, name: actor }]}
        value={actor}
        placeholder="Anyone"
        onChange={(next) => onChange({ actor: next })}
      />
      <div className="field">
        <span className="field-label">Target</span>
        <SearchInput
          label="The id of the target"
          placeholder="Any id"
          value={target ?? ''}
          onChange={(text) => onChange({ target: text.trim() || undefined })}
        />
      </div>
      <TextInput
        label="From"
        type="date"
        value={from ?? ''}
        max={to}
        onChange={({ target: { value } }) => onChange({ from: value || undefined })}
      />
      <TextInput
        label="To"
        type="date"
        value={to ?? ''}
        min={from}
        onChange={({ target: { value } }) => onChange({ to: value || undefined })}
      />
      {isFiltered && (
        <Button
          tone="quiet"
          onClick={() =>
            onChange({ action: undefined, actor: undefined, target: undefined, from: undefined, to: undefined })
          }
        >
          Clear
        </Button>
      )}
    </div>
  )
}
