import { readConfig } from '../config/config.ts'
import { BadSetting } from '../config/setting.ts'
import { checkDatabase } from './database-checks.ts'
import { checkFileStore } from './file-checks.ts'
import { type Environment, type Finding, failed } from './finding.ts'
import { checkFolders, checkMemory, checkNode, checkPort } from './machine-checks.ts'
import { checkReplicas } from './replica-checks.ts'
import { checkSandbox } from './sandbox-checks.ts'
import { checkEmbeddings, checkMail, checkReranker } from './service-checks.ts'
import { checkSettings } from './setting-checks.ts'

// Finds the problems of an installation. Each check reports a finding and its fix in one line. It changes and sends nothing, but for a small object that it puts
// into the store of files and deletes.

type Examination = {
  env: Environment
  cwd: string
  /** Checks whether this service answers at an address. */
  isService: (url: string) => Promise<boolean>
}

/** Checks an installation. With invalid settings it reports only those. */
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
      ...(await checkReranker(subject)),
      ...(await checkSandbox(subject)),
      await checkMail(subject),
      ...(await checkFileStore(subject)),
    ]
  } catch (error) {
    if (!(error instanceof BadSetting)) throw error
    return [
      ...machine,
      failed('Settings', error.message, 'Correct it in the environment or in .env; docs/settings.md describes it.'),
    ]
  }
}
