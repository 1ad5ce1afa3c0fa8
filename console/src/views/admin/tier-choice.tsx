import { RadioGroup } from '../../components/choices.tsx'
import { type Tier, tiers } from '../../data/admin.ts'

const hints: Readonly<Record<Tier, string>> = {
  free: 'What every new account has',
  business: 'Larger limits',
  enterprise: 'No caps, larger rates',
  staff: 'No limits at all, also before an address is confirmed',
}

type TierChoiceProps = { value: Tier; onChange: (tier: Tier) => void }

/** Which tier somebody gets. */
export const TierChoice = ({ value, onChange }: TierChoiceProps) => (
  <RadioGroup
    label="Tier"
    options={tiers.map((tier) => ({ value: tier, name: tier, hint: hints[tier] }))}
    value={value}
    onChange={onChange}
  />
)
