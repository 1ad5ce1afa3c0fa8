/** The input of the six digits that an authenticator app shows, or that a device fills in by itself. */
export const codeInput = {
  name: 'code',
  inputMode: 'numeric',
  autoComplete: 'one-time-code',
  pattern: '\\s*[0-9]{6}\\s*',
  title: 'Six digits',
  required: true,
} as const
