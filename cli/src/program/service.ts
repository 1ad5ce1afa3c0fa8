import type { Command } from 'commander'
import { accountsResetSignIn } from '../commands/accounts-reset-sign-in.ts'
import { doctor } from '../commands/doctor.ts'
import { init } from '../commands/init.ts'
import { serve } from '../commands/serve.ts'
import type { Adding } from './adding.ts'

const initHelp = `
The file contains every setting, commented out; docs/settings.md describes them. The environment takes precedence over it.

Examples:
  noema init
  noema init /srv/noema --port 8080 --public-url https://noema.example.com
  noema init --database-url postgres://noema:password@db.example.com/noema`

const doctorHelp = `
Prints the result of each check, and the fix in a line. Changes nothing and sends nothing. Run it where the service runs, with
the same settings; the service may be running. Exits 1 if something does not work; warnings exit 0.`

const resetHelp = `
Run it on the machine of the service, with the same NOEMA_* settings: it opens the service's database directly. The password
stays, every session ends, and keys go on. Make sure that you talk to the owner of the account.

Example:
  noema accounts reset-sign-in --email ada@example.com`

/** Adds the commands that run and keep a service, on its own machine. */
export const addServiceCommands = ({ program, context, finish }: Adding): void => {
  program
    .command('init')
    .description('Write a .env for a new service, and print the next step')
    .argument('[folder]', 'the folder of the service (default: here)')
    .option('--port <port>', 'port to listen on')
    .option('--public-url <url>', 'address at which people and agents reach it')
    .option('--data-dir <folder>', 'folder of the built-in database')
    .option('--database-url <url>', 'a PostgreSQL server of your own, instead of the built-in one')
    .option('--force', 'replace a .env that is there')
    .addHelpText('after', initHelp)
    .action(async (folder: string | undefined, _, command: Command) =>
      finish(await init(context, folder, command.optsWithGlobals())),
    )
  program
    .command('doctor')
    .description('Check this installation: settings, rights, port, database, model, mail, clock, secrets')
    .addHelpText('after', doctorHelp)
    .action(async (_, command: Command) => finish(await doctor(context, command.optsWithGlobals())))
  program
    .command('serve')
    .description('Start the service, configured by NOEMA_* variables and .env')
    .action(async (_, command: Command) => finish(await serve(context, command.optsWithGlobals())))
  program
    .command('accounts')
    .description('Accounts of the service')
    .command('reset-sign-in')
    .description('Take the two-factor codes, passkeys and linked identities of an account whose owner lost them')
    .requiredOption('--email <email>', 'the account')
    .addHelpText('after', resetHelp)
    .action(async (_, command: Command) => finish(await accountsResetSignIn(context, command.optsWithGlobals())))
}
