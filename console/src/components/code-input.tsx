import { TextInput } from './field.tsx'

/** The six digits that an app for codes shows, or a device fills in by itself. */
export const CodeInput = ({ label }: { label: string }) => (
  <TextInput
    label={label}
    name="code"
    inputMode="numeric"
    autoComplete="one-time-code"
    pattern="\s*[0-9]{6}\s*"
    title="Six digits"
    required
  />
)
