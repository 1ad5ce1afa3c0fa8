/** The input of a new password, with the service's limits. */
export const newPassword = {
  name: 'password',
  type: 'password',
  autoComplete: 'new-password',
  required: true,
  minLength: 8,
  maxLength: 128,
  hint: '8 characters or more.',
} as const
