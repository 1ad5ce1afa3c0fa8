import { TextInput } from './field.tsx'

/** The field of a password that is chosen here, by the service's own limits. */
export const NewPassword = ({ label = 'Password' }: { label?: string }) => (
  <TextInput
    label={label}
    name="password"
    type="password"
    autoComplete="new-password"
    required
    minLength={8}
    maxLength={128}
    hint="8 characters or more."
  />
)
