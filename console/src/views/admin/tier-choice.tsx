import type { Fields } from '../../components/form/fields.tsx'
import { type Tier, tiers } from '../../data/admin.ts'

const hints: Readonly<Record<Tier, string>> = {
  free: 'The tier of every new account',
  business: 'Larger limits',
  enterprise: 'No caps, higher rates',
  staff: 'No limits, even before the email address is confirmed',
}

/** Chooses a tier. */
export const TierChoice = ({ form }: { form: Pick<Fields<{ tier: Tier }>, 'Radio'> }) => (
  <form.Radio
    label="Tier"
    options={tiers.map((tier) => ({ value: tier, name: tier, hint: hints[tier] }))}
    name="tier"
  />
)
