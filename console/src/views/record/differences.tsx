import { FieldDiff } from '../../components/field-diff.tsx'
import type { Difference } from './version-diff.ts'

const toName = ({ part, name }: Difference): string => (part === 'link' ? `link ${name}` : name)

/** The differences between two versions: before and after. */
export const Differences = ({ differences }: { differences: readonly Difference[] }) => (
  <FieldDiff
    before={Object.fromEntries(differences.map((one) => [toName(one), one.before]))}
    after={Object.fromEntries(differences.map((one) => [toName(one), one.after]))}
  />
)
