import { readConfig } from '../config/config.ts'
import { BadSetting } from '../config/setting.ts'
import { checkDatabase } from './database-checks.ts'
import { type Environment, type Finding, failed } from './finding.ts'
import { checkFolders, checkMemory, checkNode, checkPort } from './machine-checks.ts'
import { checkReplicas } from './replica-checks.ts'
import { checkEmbeddings, checkMail } from './service-checks.ts'
import { checkSettings } from './setting-checks.ts'

// What stands between an installation and a service that works: each check says what it found, and the fix in a line. Nothing
// is changed, and nothing is sent.

type Examination = {
  env: Environment
  cwd: string
  /** Whether this service answers at an address. */
  isService: (url: string) => Promise<boolean>
}

/** Checks an installation. One whose settings cannot be read is told of that alone. */
export const examine = async ({ env, cwd, isService }: Examination): Promise<Finding[]> => {
  const machine = [checkNode(), checkMemory()]
  try {
    const subject = { config: readConfig(env, cwd), env, cwd }
    return [
      ...machine,
      ...checkSettings(subject),
      ...(await checkFolders(subject)),
      await checkPort(subject, isService),
      ...(await checkDatabase(subject)),
      ...(await checkReplicas(subject)),
      await checkEmbeddings(subject),
      await checkMail(subject),
    ]
  } catch (error) {
    if (!(error instanceof BadSetting)) throw error
    return [
      ...machine,
      failed('Settings', error.message, 'Correct it in the environment or in .env; docs/settings.md describes it.'),
    ]
  }
}
