import { z } from 'zod'
import { BadSetting, commaList, type Settings, type ValuesOf, wholeNumber } from './setting.ts'

/** Settings of the service's secret, its administrators, and the limits of one account. */
export const accountSettings = {
  NOEMA_SECRET: {
    schema: z.string().min(32, '32 characters or more').optional(),
    about:
      'Signs sessions and encrypts webhook secrets and provider keys. When unset, it is generated in the data folder. Several nodes must share one.',
    example: 'any-32-or-more-random-characters-',
    secret: true,
  },
  NOEMA_ADMIN_EMAILS: {
    schema: commaList.pipe(z.array(z.email())).default([]),
    about: 'Accounts that administer the whole service, separated by commas. When unset, the first account does.',
    example: 'ops@example.com',
  },
  NOEMA_BOOTSTRAP_EMAIL: {
    schema: z.email().optional(),
    about:
      'With NOEMA_BOOTSTRAP_PASSWORD: the first account, which is created on an empty database with a confirmed address.',
    example: 'ops@example.com',
  },
  NOEMA_BOOTSTRAP_PASSWORD: {
    schema: z.string().min(8, '8 characters or more').optional(),
    about: 'Password of the first account.',
    example: 'a-long-password',
    secret: true,
  },
  NOEMA_ORGANIZATIONS: {
    schema: wholeNumber(1, 100_000).default(20),
    about: 'Organizations that an account with a confirmed address may own.',
    example: '20',
  },
  NOEMA_DAILY_INVITATIONS: {
    schema: wholeNumber(1, 100_000).default(100),
    about: 'Invitations that one account may send a day.',
    example: '100',
  },
} as const satisfies Settings

type Values = ValuesOf<typeof accountSettings>

const readBootstrap = (values: Values): { email: string; password: string } | undefined => {
  const { NOEMA_BOOTSTRAP_EMAIL: email, NOEMA_BOOTSTRAP_PASSWORD: password } = values
  if (email === undefined && password === undefined) return undefined
  if (email === undefined) throw new BadSetting('NOEMA_BOOTSTRAP_PASSWORD is set without NOEMA_BOOTSTRAP_EMAIL.')
  if (password === undefined) throw new BadSetting('NOEMA_BOOTSTRAP_EMAIL is set without NOEMA_BOOTSTRAP_PASSWORD.')
  return { email, password }
}

export const readAccounts = (values: Values) => ({
  secret: values.NOEMA_SECRET,
  adminEmails: values.NOEMA_ADMIN_EMAILS,
  bootstrap: readBootstrap(values),
  /** Organizations that an account with a confirmed address may own. */
  verifiedOrganizations: values.NOEMA_ORGANIZATIONS,
  /** Invitations that an account may send a day. */
  maxDailyInvitations: values.NOEMA_DAILY_INVITATIONS,
})
