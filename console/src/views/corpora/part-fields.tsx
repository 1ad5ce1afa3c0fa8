import '../../styles/corpora.css'
import type { Corpus } from '@noema/contracts/corpora.ts'
import { Button } from '../../components/button.tsx'
import { Checkbox } from '../../components/choices.tsx'
import { Select, TextInput } from '../../components/field.tsx'

type Part = Corpus['parts'][number]
type ItemType = NonNullable<Part['types']>[number]

/** A part of a corpus while it is edited. `kept`: the parts of its section that this form does not show. */
export type PartValues = {
  brain: string
  kinds: string
  sources: string
  types: readonly ItemType[]
  kept: Pick<Part, 'asOf' | 'where'>
}

/** A part that has everything of a Brain. */
export const newPart = (brain: string): PartValues => ({ brain, kinds: '', sources: '', types: [], kept: {} })

const types = [
  { type: 'record', name: 'records' },
  { type: 'statement', name: 'statements' },
  { type: 'document', name: 'documents' },
] as const satisfies readonly { type: ItemType; name: string }[]

/** The values of a part; none of one whose Brain is not there for this person. */
export const toPartValues = ({ brain, kinds = [], sources = [], types: only = [], asOf, where }: Part): PartValues[] =>
  brain === null
    ? []
    : [
        {
          ...{ brain, kinds: kinds.join(', '), sources: sources.join(', '), types: only },
          kept: { ...(asOf !== undefined && { asOf }), ...(where && { where }) },
        },
      ]

type FieldsProps = {
  part: PartValues
  handles: readonly string[]
  onChange: (part: PartValues) => void
  onRemove: () => void
}

/** The fields of one part of a corpus. */
export const PartFields = ({ part, handles, onChange, onRemove }: FieldsProps) => {
  const { brain, kinds, sources, types: only } = part
  const options = [...new Set([brain, ...handles])].map((handle) => ({ value: handle, name: handle }))
  const toggle = (type: ItemType, isOn: boolean) =>
    onChange({ ...part, types: isOn ? [...only, type] : only.filter((one) => one !== type) })
  return (
    <fieldset className="corpus-part">
      <legend className="off-screen">{brain}</legend>
      <div className="corpus-part-fields">
        <Select
          label="Brain"
          options={options}
          value={brain}
          onChange={(chosen) => onChange({ ...part, brain: chosen })}
        />
        <TextInput
          label={`Kinds of ${brain}`}
          placeholder="all"
          value={kinds}
          onChange={({ target }) => onChange({ ...part, kinds: target.value })}
        />
        <TextInput
          label={`Sources of ${brain}`}
          placeholder="all"
          value={sources}
          onChange={({ target }) => onChange({ ...part, sources: target.value })}
        />
      </div>
      <div className="corpus-part-types">
        {types.map(({ type, name }) => (
          <Checkbox
            key={type}
            label={`Only ${name}`}
            checked={only.includes(type)}
            onChange={(isOn) => toggle(type, isOn)}
          />
        ))}
        <Button size="small" onClick={onRemove}>
          Remove {brain}
        </Button>
      </div>
    </fieldset>
  )
}
