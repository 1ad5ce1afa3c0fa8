import { accountSettings } from './accounts.ts'
import { addressSettings } from './addresses.ts'
import { agentSettings } from './agents.ts'
import { archiveSettings } from './archive.ts'
import { artifactSettings } from './artifacts.ts'
import { concurrencySettings } from './concurrency.ts'
import { databaseSettings } from './database.ts'
import { deliverySettings } from './delivery.ts'
import { extractionSettings } from './extraction.ts'
import { limitSettings } from './limits.ts'
import { searchSettings } from './search.ts'
import { serverSettings } from './server.ts'
import { takesFile } from './setting.ts'
import { signInSettings } from './sign-in.ts'
import { tierSettings } from './tiers.ts'
import { traceSettings } from './traces.ts'
import { webPageSettings } from './web-pages.ts'

/** Every setting by subject, in the order of the docs. */
export const settingsBySubject = {
  Node: serverSettings,
  Addresses: addressSettings,
  Database: databaseSettings,
  'Archive of the built-in database': archiveSettings,
  'Secret and accounts': accountSettings,
  'Sign-in': signInSettings,
  'Email and webhooks': deliverySettings,
  Search: searchSettings,
  'Store of files': artifactSettings,
  'Text of files': extractionSettings,
  'Web pages': webPageSettings,
  Agents: agentSettings,
  'Rates and tiers': tierSettings,
  'Work at once': concurrencySettings,
  'Other limits': limitSettings,
  Traces: traceSettings,
} as const

/**
 * Every setting of the service. `readConfig` checks the environment with it, and `.env.example` and docs/settings.md are
 * generated from it. All are optional.
 */
export const settings = {
  ...serverSettings,
  ...addressSettings,
  ...databaseSettings,
  ...archiveSettings,
  ...accountSettings,
  ...signInSettings,
  ...deliverySettings,
  ...searchSettings,
  ...artifactSettings,
  ...extractionSettings,
  ...webPageSettings,
  ...agentSettings,
  ...tierSettings,
  ...concurrencySettings,
  ...limitSettings,
  ...traceSettings,
} as const

/** The text of `.env.example`. */
export const envExample = (): string =>
  [
    '# Settings of Noema. All are optional; copy this file to .env or set them in the environment.',
    '# Those marked (or file) can also be in a file: set NAME_FILE to its path.',
    ...Object.entries(settings).flatMap(([name, setting]) => [
      '',
      `# ${setting.about}${takesFile(setting) ? ' (or file)' : ''}`,
      `# ${name}=${setting.example}`,
    ]),
    '',
  ].join('\n')
