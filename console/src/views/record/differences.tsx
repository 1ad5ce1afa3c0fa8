import { FieldDiff } from '../../components/field-diff.tsx'
import { ItemLink } from '../../items/item-link.tsx'
import type { Difference } from './version-diff.ts'

const linkPrefix = 'link '

const toName = ({ part, name }: Difference): string => (part === 'link' ? `${linkPrefix}${name}` : name)

/** The differences between two versions: before and after. Linked records have their names. */
export const Differences = ({ handle, differences }: { handle: string; differences: readonly Difference[] }) => (
  <FieldDiff
    before={Object.fromEntries(differences.map((one) => [toName(one), one.before]))}
    after={Object.fromEntries(differences.map((one) => [toName(one), one.after]))}
    render={(name, value) => {
      if (!name.startsWith(linkPrefix) || !Array.isArray(value)) return undefined
      return (
        <ul className="value-list">
          {value.map(String).map((id) => (
            <li key={id}>
              <ItemLink handle={handle} item={{ type: 'record', id }} />
            </li>
          ))}
        </ul>
      )
    }}
  />
)
