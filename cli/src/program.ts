import { Command, CommanderError, Option } from 'commander'
import packageJson from '../package.json' with { type: 'json' }
import { addAgentCommands } from './agent-program.ts'
import { accountsResetSignIn } from './commands/accounts-reset-sign-in.ts'
import { eventsTail } from './commands/events-tail.ts'
import { exportOrganization } from './commands/export-organization.ts'
import { keysMint } from './commands/keys-mint.ts'
import { readContext } from './commands/read-context.ts'
import { minEvidences, search, searchModes } from './commands/search.ts'
import { serve } from './commands/serve.ts'
import { sync } from './commands/sync.ts'
import { exportBrain, importBrain } from './commands/transfer.ts'
import { webhooksListen } from './commands/webhooks-listen.ts'
import type { Context } from './context.ts'
import { exitCodes, toExitCode, UsageError } from './exit-codes.ts'
import { writeFailure } from './output.ts'

const help = `
Examples:
  noema serve
  export NOEMA_API_KEY=$(noema keys mint)
  noema sync ./docs --brain handbook --create
  noema search 'how to reset a password' --brain handbook
  noema events tail --brain handbook --json
  noema runs start Librarian 'who leads Apollo?' --watch

Data is written to standard output, everything else to standard error.
Exit codes: 0 ok, 1 unexpected error, 2 usage, 3 not authorized, 4 not found, 5 conflict, 6 invalid,
7 rate limited or unreachable, 8 a run failed or was cancelled, 130 interrupted.`

const syncHelp = `
Reads .md, .mdx, .markdown, .txt, .rst and .adoc files. Each becomes the document <source>/<path>. The service plans the
update and applies it as one change. Repeating a sync writes only what has changed since.

New and edited files are written without asking. Documents of deleted files are retired (their versions can still be
read): at a terminal the command asks first, elsewhere it needs --yes. Retiring more than 50 documents that are also more
than a fifth of the source needs --allow-retire. --no-retire keeps them. If a part of the folder cannot be read, nothing
is retired.

What is written is found by its words at once, and by its meaning when it is embedded, which goes on after the command.
--wait waits for that.

Examples:
  noema sync ./docs --brain handbook --create --wait
  noema sync ./docs --brain handbook --plan
  noema sync . --brain handbook --source wiki --yes --json`

const searchHelp = `
Searches by words and by meaning. Use the id of a result to read the complete item. Each result begins with its evidence,
strong, weak or none: how much speaks for it answering the question. It is said where nothing seems to.

Examples:
  noema search 'how to reset a password' --brain handbook
  noema search error 4711 --brain handbook --mode lexical --limit 3 --json
  noema search 'who leads Apollo?' --brain handbook --min-evidence strong`

const contextHelp = `
Prints records, statements and passages of documents for a model to read, each quoted in a frame with its id, so that
their text cannot be mistaken for instructions.

Examples:
  noema context 'how are passwords stored?' --brain handbook --tokens 2000
  noema context 'who leads Apollo?' --brain handbook --json`

const tailHelp = `
Examples:
  noema events tail --brain handbook
  noema events tail --brain handbook --types record.accepted,record.deleted --json
  noema events tail --brain handbook --once --after <cursor>`

const listenHelp = `
Follows the Brain's stream and posts each event to a server on your machine, signed like a delivery of the service: in
order, three attempts each. It does not create a webhook. The secret is printed first; use --secret to choose it.

Example:
  noema webhooks listen --brain handbook --forward-to http://localhost:3000/hook`

const mintHelp = `
Run it on the machine of the service, with the same NOEMA_* settings: it opens the service's database directly.

Example:
  export NOEMA_API_KEY=$(noema keys mint --email you@example.com)`

const resetHelp = `
Run it on the machine of the service, with the same NOEMA_* settings: it opens the service's database directly. The password
stays, every session ends, and keys go on. Make sure that you talk to the owner of the account.

Example:
  noema accounts reset-sign-in --email ada@example.com`

type Finish = (code: number) => void

const addOperatorCommands = (program: Command, context: Context, finish: Finish) => {
  program
    .command('serve')
    .description('Start the service, configured by NOEMA_* variables')
    .action(async (_, command: Command) => finish(await serve(context, command.optsWithGlobals())))
  program
    .command('keys')
    .description('Keys of the service')
    .command('mint')
    .description('Mint a management key and print its secret')
    .option('--email <email>', 'the account to mint it for')
    .option('--password <password>', 'the password of that account, if it is new')
    .option('--name <name>', 'the name of the key in lists', 'cli')
    .option('--create', 'make the data folder if there is none')
    .addHelpText('after', mintHelp)
    .action(async (_, command: Command) => finish(await keysMint(context, command.optsWithGlobals())))
  program
    .command('accounts')
    .description('Accounts of the service')
    .command('reset-sign-in')
    .description('Take the two-factor codes, passkeys and linked identities of an account whose owner lost them')
    .requiredOption('--email <email>', 'the account')
    .addHelpText('after', resetHelp)
    .action(async (_, command: Command) => finish(await accountsResetSignIn(context, command.optsWithGlobals())))
}

const addSyncCommand = (program: Command, context: Context, finish: Finish) => {
  program
    .command('sync')
    .description('Copy the Markdown and text files of a folder into a Brain as documents')
    .argument('<folder>')
    .requiredOption('--brain <handle>', 'the Brain to write to')
    .option('--source <name>', "the first part of the documents' ids (default: the folder's name)")
    .option('--create', 'create the Brain if it does not exist (needs a management key)')
    .option('--plan', 'only show what would change')
    .option('--yes', 'retire the documents of deleted files without asking')
    .option('--no-retire', 'keep the documents of deleted files')
    .option('--allow-retire', 'allow a large number of retirements')
    .option('--wait', 'wait until everything can be found by search')
    .addHelpText('after', syncHelp)
    .action(async (folder: string, _, command: Command) => {
      finish(await sync(context, folder, command.optsWithGlobals()))
    })
}

const addReadingCommands = (program: Command, context: Context, finish: Finish) => {
  program
    .command('search')
    .description('Find records, statements and documents of a Brain')
    .argument('<words...>')
    .requiredOption('--brain <handle>', 'the Brain to search')
    .addOption(new Option('--mode <mode>', 'how to search (default: hybrid)').choices(searchModes))
    .option('--limit <count>', 'maximum number of results, 1 to 100 (default: 10)')
    .option('--types <types>', 'only record, statement or document, separated by commas')
    .option('--kinds <kinds>', 'only records of these kinds and statements about them, separated by commas')
    .addOption(new Option('--min-evidence <evidence>', 'leave out results with less').choices(minEvidences))
    .addHelpText('after', searchHelp)
    .action(async (words: string[], _, command: Command) => {
      finish(await search(context, words, command.optsWithGlobals()))
    })
  program
    .command('context')
    .description('Collect the context for a question, as Markdown within a token budget')
    .argument('<words...>')
    .requiredOption('--brain <handle>', 'the Brain to read')
    .option('--tokens <count>', 'the token budget, 200 to 100000 (default: 4000)')
    .option('--kinds <kinds>', 'only records of these kinds and statements about them, separated by commas')
    .addOption(new Option('--min-evidence <evidence>', 'leave out items with less').choices(minEvidences))
    .addHelpText('after', contextHelp)
    .action(async (words: string[], _, command: Command) => {
      finish(await readContext(context, words, command.optsWithGlobals()))
    })
}

const addStreamCommands = (program: Command, context: Context, finish: Finish) => {
  program
    .command('events')
    .description("A Brain's stream of events")
    .command('tail')
    .description('Print events as they are committed, until Ctrl-C')
    .requiredOption('--brain <handle>', 'the Brain to read')
    .option('--after <cursor>', 'start after this cursor (default: the first event)')
    .option('--types <types>', 'only these event types, separated by commas')
    .option('--once', 'stop after the last committed event')
    .addHelpText('after', tailHelp)
    .action(async (_, command: Command) => finish(await eventsTail(context, command.optsWithGlobals())))
  program
    .command('webhooks')
    .description('Webhooks of a Brain')
    .command('listen')
    .description('Deliver events to a server on this machine, until Ctrl-C')
    .requiredOption('--brain <handle>', 'the Brain to read')
    .requiredOption('--forward-to <url>', 'where to post the deliveries')
    .option('--after <cursor>', 'start after this cursor (default: only new events)')
    .option('--types <types>', 'only these event types, separated by commas')
    .option('--secret <secret>', 'sign with this secret (whsec_…) instead of a new one')
    .addHelpText('after', listenHelp)
    .action(async (_, command: Command) => finish(await webhooksListen(context, command.optsWithGlobals())))
}

const addTransferCommands = (program: Command, context: Context, finish: Finish) => {
  program
    .command('export')
    .description('Write a Brain as NDJSON to standard output or a file (needs a management key)')
    .requiredOption('--brain <handle>', 'the Brain to read')
    .option('--history', 'include every version, retraction and change, not only current items')
    .option('--output <file>', 'write to this file, which appears once it is complete')
    .action(async (_, command: Command) => finish(await exportBrain(context, command.optsWithGlobals())))
  program
    .command('organizations')
    .description('The organization of a key')
    .command('export')
    .description(
      'Write everything of an organization into a folder, each Brain as a file of its own (needs a key of an owner)',
    )
    .argument('<folder>', 'a folder that does not exist yet')
    .option('--history', 'include every version, retraction and change of Brains')
    .action(async (folder: string, _, command: Command) => {
      finish(await exportOrganization(context, folder, command.optsWithGlobals()))
    })
  program
    .command('import')
    .description('Load an export into a Brain that was never written to (needs a management key)')
    .argument('<file>', 'an export, or - for standard input')
    .requiredOption('--brain <handle>', 'the Brain to write to')
    .option('--create', 'create the Brain if it does not exist')
    .action(async (file: string, _, command: Command) => {
      finish(await importBrain(context, file, command.optsWithGlobals()))
    })
}

const createProgram = (context: Context, isJson: boolean, finish: Finish): Command => {
  const program = new Command('noema')
    .description('Knowledge stores for AI agents: reviewable writes and one ordered stream of events.')
    .version(packageJson.version)
    .option('--base-url <url>', 'address of the service (NOEMA_BASE_URL, else http://127.0.0.1:4100)')
    .option('--api-key <key>', 'a management or Brain key (NOEMA_API_KEY)')
    .option('--json', 'print JSON, errors too')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => void context.stdout.write(text),
      writeErr: (text) => void context.stderr.write(text),
      // Under --json the error follows in the envelope.
      outputError: (text, write) => (isJson ? undefined : write(text)),
    })
    .exitOverride()
    .addHelpText('after', help)
  addOperatorCommands(program, context, finish)
  addSyncCommand(program, context, finish)
  addReadingCommands(program, context, finish)
  addStreamCommands(program, context, finish)
  addTransferCommands(program, context, finish)
  addAgentCommands(program, context, finish)
  return program
}

const finishFailure = async (error: unknown, context: Context, isJson: boolean): Promise<number> => {
  // The reader of the output is gone (`| head`): nothing is left to do, and nothing went wrong.
  if (error instanceof Error && 'code' in error && error.code === 'EPIPE') return exitCodes.ok
  if (context.signal.aborted) return exitCodes.interrupted
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return exitCodes.ok
    const message = error.message.replace(/^error: /, '')
    if (isJson) await writeFailure(context.stderr, new UsageError(message), true)
    return exitCodes.usage
  }
  await writeFailure(context.stderr, error, isJson)
  return toExitCode(error)
}

/** Runs one command line (without the program's own name) and gives its exit code; it never throws. */
export const run = async (argv: readonly string[], context: Context): Promise<number> => {
  const isJson = argv.includes('--json')
  let code: number = exitCodes.ok
  const program = createProgram(context, isJson, (given) => {
    code = given
  })
  try {
    await program.parseAsync(argv, { from: 'user' })
    return code
  } catch (error) {
    return finishFailure(error, context, isJson).catch(() => exitCodes.unexpected)
  }
}
